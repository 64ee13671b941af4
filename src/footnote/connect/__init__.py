"""Meeting a database we did not create: loading the sample into an empty one is the first of it."""
