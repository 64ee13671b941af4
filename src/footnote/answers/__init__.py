"""Answers: templates and slots -> text + claims; the figure guard; keyless routing; interpretations. Pure."""
