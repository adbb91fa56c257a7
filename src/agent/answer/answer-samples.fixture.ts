/** Short files by language id, for languages in which few real files are installed. */
export const sourceSamples: Readonly<Record<string, string>> = {
  rust: `//! Reads tide tables.
use std::collections::HashMap;
use std::fs::File;

/// A tide at one station.
///
/// The height is in centimeters.
#[derive(Debug, Clone)]
pub struct Tide {
    pub station: String,
    pub height: i32,
}

impl Tide {
    /// Creates a tide.
    pub fn new(station: &str, height: i32) -> Self {
        Tide { station: station.to_string(), height }
    }

    pub fn is_high(&self) -> bool {
        match self.height {
            h if h > 300 => true,
            _ => false,
        }
    }
}

pub fn group(tides: &[Tide]) -> HashMap<String, Vec<Tide>> {
    let mut groups = HashMap::new();
    for tide in tides {
        groups
            .entry(tide.station.clone())
            .or_insert_with(Vec::new)
            .push(tide.clone());
    }
    groups
}

fn main() {
    let tides = vec![Tide::new("Brest", 420), Tide::new("Cork", 280)];
    for (station, list) in group(&tides) {
        println!("{station}: {}", list.len());
    }
}`,
  java: `package org.example.tides;

import java.util.ArrayList;
import java.util.List;

/**
 * Collects tides of several stations.
 *
 * The heights are in centimeters.
 */
public final class TideTable {
    private final List<Tide> tides = new ArrayList<>();
    private int limit = 300;

    /** Adds a tide to the table. */
    public void add(Tide tide) {
        if (tide == null) {
            throw new IllegalArgumentException("tide is null");
        }
        tides.add(tide);
    }

    // Returns all tides above the limit.
    public List<Tide> findHigh() {
        List<Tide> result = new ArrayList<>();
        for (Tide tide : tides) {
            if (tide.height() > limit) {
                result.add(tide);
            }
        }
        return result;
    }

    @Override
    public String toString() {
        return "TideTable(" + tides.size() + ")";
    }
}`,
  ruby: `# Reads tide tables and groups them by station.
require 'json'

module Tides
  # A tide at one station.
  class Tide
    attr_reader :station, :height

    def initialize(station, height)
      @station = station
      @height = height
    end

    def high?
      height > 300
    end
  end

  # Groups tides by their station.
  def self.group(tides)
    tides.group_by do |tide|
      tide.station
    end
  end

  def self.read(path)
    records = JSON.parse(File.read(path))
    records.map do |record|
      if record.key?('height')
        Tide.new(record['station'], record['height'])
      else
        Tide.new(record['station'], 0)
      end
    end
  end
end`,
  latex: `\\documentclass{article}
\\usepackage{amsmath}
\\title{About Tides}
\\begin{document}
\\maketitle

\\section{Introduction}
The tide is the rise and fall of the sea. It depends on the moon.
The height of a tide differs from place to place.

\\section{Forces}
Two forces act on the water:
\\begin{itemize}
  \\item The gravitation of the moon and of the sun.
  \\item The rotation of the earth, which moves the bulge.
\\end{itemize}

The period follows from
\\begin{equation}
  T = \\frac{2 \\pi}{\\omega - \\Omega},
\\end{equation}
where $\\omega$ is the rotation of the earth.

\\section{Conclusion}
A table of tides helps every sailor. See also the appendix.
\\end{document}`,
  typescript: `/** Height of a tide in centimeters. */
export interface Tide {
  readonly station: string;
  readonly height: number;
}

/**
 * Returns the highest tide.
 * The list may be empty.
 */
export function findHighest(tides: readonly Tide[]): Tide | undefined {
  let highest: Tide | undefined;
  for (const tide of tides) {
    if (highest === undefined || tide.height > highest.height) {
      highest = tide;
    }
  }
  return highest;
}`,
};
