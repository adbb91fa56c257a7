"""Reads station data in CSV and writes it as JSON, sorted by name."""

import csv
import json
import sys


def read_stations(lines):
    for row in csv.DictReader(lines):
        yield {"name": row["name"].strip(), "latitude": float(row["lat"]), "longitude": float(row["lon"])}


if __name__ == "__main__":
    stations = sorted(read_stations(sys.stdin), key=lambda station: station["name"])
    json.dump(stations, sys.stdout, indent=2)
