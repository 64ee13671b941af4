"""The pack `sample`: an invented trading company. `catalog.yaml`, `schema.sql`, and a CSV file for each table."""
