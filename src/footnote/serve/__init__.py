"""The faces of Footnote beyond the command line: MCP for AI clients, HTTP for people."""
