/** Short documents by language id, from which the corpus of remarks is generated. */
export const remarkSamples: Readonly<Record<string, string>> = {
  python: `"""Counts birds at feeders.

The counts come from volunteers. You can pass several folders.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass
class Sighting:
    """One bird at one feeder."""

    species: str
    amount: int = 1


def read_sightings(folder: Path, *, strict: bool = False) -> list[Sighting]:
    """Reads all sightings in a folder.

    Lines without a number are skipped.
    Note: strict mode raises an error instead.

    Args:
        folder: Folder with text files.
        strict: Reject lines without a number.
    """
    sightings: list[Sighting] = []
    for file in sorted(folder.glob("*.txt")):
        for line in file.read_text().splitlines():
            species, _, amount = line.partition(":")
            if not amount.strip().isdigit():
                if strict:
                    raise ValueError(f"No number in {line!r}")
                continue
            # Volunteers write species in any case.
            sightings.append(Sighting(species.strip().lower(), int(amount)))
    return sightings


if __name__ == "__main__":
    total = sum(sighting.amount for sighting in read_sightings(Path("data")))
    print(f"{total} birds")`,
  typescript: `import { readFile } from 'node:fs/promises';

/** Height of water at a gauge, in centimeters. */
export interface Level {
  readonly gauge: string;
  readonly height: number;
  /** Here you can store remarks of the observer. */
  readonly remark?: string;
}

const warnings = new Map<string, number>([
  ['north', 320],
  ['south', 280],
]);

/**
 * Reads levels from a file.
 *
 * Note: lines without a height are ignored.
 * @param path Path of the file.
 */
export async function readLevels(path: string): Promise<readonly Level[]> {
  const text = await readFile(path, 'utf8');
  return text.split('\\n').flatMap((line) => {
    const [gauge = '', height = ''] = line.split(',');
    // I keep unknown gauges, because new ones appear every year.
    return height === '' ? [] : [{ gauge, height: Number(height) }];
  });
}

export function isHigh({ gauge, height }: Level): boolean {
  const limit = warnings.get(gauge);
  if (limit === undefined) {
    return false;
  }
  return height > limit;
}

const message = \`Dear observer,
please check the gauge.
Thank you!\`;
export default message;`,
  html: `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Riverside Library</title>
  </head>
  <body>
    <h1>Welcome to the library</h1>
    <p>
      Here is what you need for a visit. You can borrow five books
      and let us know if one is missing.
    </p>
    <p>We open at nine. Sure, dogs are welcome!</p>
    <ol>
      <li>Find a book.</li>
      <li>Show your card.</li>
      <li>Return it within a month.</li>
    </ol>
    <!-- The table lists all branches. -->
    <table class="branches">
      <tr><th>Branch</th><th>Hours</th></tr>
      <tr><td>Harbor</td><td>9 to 17</td></tr>
      <tr><td>Hill</td><td>10 to 16</td></tr>
    </table>
    <script>
      const branch = document.querySelector('.branches');
      branch.addEventListener('click', () => console.log('branch'));
    </script>
    <footer>Note: the library is closed in August.</footer>
  </body>
</html>`,
  latex: `\\documentclass{article}
\\begin{document}
\\section{Measurements of Snow}
Here is the method that we used in the valley. You can repeat it with simple tools.
The depth was measured every morning. Note that wind moves the snow.

% Keep the numbers in sync with the table.
\\subsection{Results}
The results are as follows:
\\begin{itemize}
  \\item Deep snow in January.
  \\item Little snow in March.
\\end{itemize}
We define the density as
\\begin{equation}
  \\rho = \\frac{m}{V} + \\epsilon_s.
\\end{equation}
Let us know if you find an error in these numbers.

\\begin{table}
  \\begin{tabular}{lr}
    January & 120 \\\\
    March & 30 \\\\
  \\end{tabular}
  \\caption{Depth in centimeters.}
\\end{table}
The observers thank the village. I hope that the measurements go on.
\\end{document}`,
  markdown: `# Garden planner

Plans the beds of a small garden. You can use it without an account.

## Getting started

Here is how to plan the first bed:

1. Measure the bed.
2. Choose plants that like each other.
3. Print the plan.

> **Note:** The planner does not know your soil.

Run the planner in a terminal:

\`\`\`sh
planner --bed 3x2 --out plan.pdf
\`\`\`

| Plant | Distance |
| --- | --- |
| Carrot | 5 cm |
| Pumpkin | 100 cm |

Let me know if a plant is missing. I add new plants every spring.

---

### Result

The plan shows each plant as a circle. Sure, you can change the colors.
Done? Then start to dig.`,
  yaml: `# Settings of the weather station.
name: station
on:
  schedule:
    - cron: "15 4 * * *"
sensors:
  - id: roof
    kind: wind
    # Here you can set the height in meters.
    height: 12
  - id: cellar
    kind: humidity
    enabled: false
note: check the roof every spring
output:
  format: csv
  folder: /var/lib/station
  description: >
    Here are the values of the last day.
    You can open them in any program.
result: &defaults
  retries: 3
  timeout: 30`,
  sql: `-- Tables of the boat club.
CREATE TABLE boats (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  seats INTEGER DEFAULT 4,
  note TEXT
);

CREATE INDEX boats_by_name ON boats (name);

/* Members may reserve one boat a day.
   Note: guests count as members. */
SELECT boats.name, COUNT(trips.id) AS trips
FROM boats
LEFT JOIN trips ON trips.boat = boats.id
WHERE trips.day >= '2026-01-01'
  AND boats.seats > 2
GROUP BY boats.name
HAVING COUNT(trips.id) > 3
ORDER BY trips DESC;

INSERT INTO boats (name, seats, note) VALUES
  ('Heron', 4, 'Let me know if it leaks.'),
  ('Otter', 2, NULL);

UPDATE boats SET seats = 5 WHERE name = 'Heron';`,
  rust: `//! Schedules trains on a single track.

use std::collections::BTreeMap;

/// A train with its length in meters.
///
/// Here is the place for further fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Train {
    pub number: u32,
    pub length: f64,
}

impl Train {
    pub fn fits(&self, platform: f64) -> bool {
        self.length <= platform
    }
}

/// Groups trains by the hour.
pub fn by_hour(trains: &[(u8, Train)]) -> BTreeMap<u8, Vec<Train>> {
    let mut hours: BTreeMap<u8, Vec<Train>> = BTreeMap::new();
    for (hour, train) in trains {
        // You can add more trains later.
        hours.entry(*hour).or_default().push(train.clone());
    }
    hours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_trains_fit() {
        let train = Train { number: 7, length: 90.0 };
        assert!(train.fits(100.0), "the train is too long");
    }
}`,
  c: `#include <stdio.h>
#include <stdlib.h>

/*
 * A queue of fixed size.
 *
 * You can change the size here. Note: it must be a power of two.
 */
#define QUEUE_SIZE 64

typedef struct {
    int values[QUEUE_SIZE];
    size_t head;
    size_t count;
} queue_t;

/* Adds a value. Returns 0 if the queue is full. */
static int queue_push(queue_t *queue, int value)
{
    if (queue->count == QUEUE_SIZE)
        return 0;
    queue->values[(queue->head + queue->count) % QUEUE_SIZE] = value;
    queue->count++;
    return 1;
}

int main(int argc, char **argv)
{
    queue_t queue = {0};
    for (int index = 1; index < argc; index++) {
        if (!queue_push(&queue, atoi(argv[index]))) {
            fprintf(stderr, "Sorry, the queue is full.\\n");
            goto done;
        }
    }
done:
    printf("%zu values\\n", queue.count);
    return EXIT_SUCCESS;
}`,
  shellscript: `#!/usr/bin/env bash
# Makes a copy of the photos.
set -euo pipefail

source_folder="\${1:?folder with photos}"
target_folder="\${2:-/mnt/copy}"

usage() {
  cat <<TEXT
Here is how to use this script:
  copy-photos FOLDER [TARGET]
You can stop it at any time.
TEXT
}

if [[ ! -d "$source_folder" ]]; then
  usage
  exit 2
fi

# Note: rsync keeps the dates.
count=0
while IFS= read -r -d '' photo; do
  rsync --archive "$photo" "$target_folder/"
  count=$((count + 1))
done < <(find "$source_folder" -name '*.jpg' -print0)

echo "Done! $count photos copied."`,
  go: `package market

import (
	"errors"
	"fmt"
	"sort"
)

// Stall sells goods at a place in the market.
// Here is an example: Stall{Place: 3}.
type Stall struct {
	Place int
	Goods []string
}

// ErrTaken reports a place with a stall.
var ErrTaken = errors.New("place is taken")

// Assign gives each stall its place. You can call it twice.
func Assign(stalls []Stall) (map[int]Stall, error) {
	places := make(map[int]Stall, len(stalls))
	for _, stall := range stalls {
		if _, taken := places[stall.Place]; taken {
			return nil, fmt.Errorf("stall %d: %w", stall.Place, ErrTaken)
		}
		places[stall.Place] = stall
	}
	return places, nil
}

func sorted(stalls []Stall) []Stall {
	sort.Slice(stalls, func(left, right int) bool {
		return stalls[left].Place < stalls[right].Place
	})
	return stalls
}`,
  css: `/* Colors of the museum. */
:root {
  --accent: #2a6f5b;
  --paper: #faf7f0;
}

/* Note: the banner is also used in print. */
.banner > h1 {
  color: var(--accent);
  font-size: clamp(1.5rem, 4vw, 3rem);
  margin-block: 0 1rem;
}

.rooms li::before {
  content: "Here is ";
  opacity: 0.6;
}

/* You can remove this rule in summer. */
@media (width < 40rem) {
  .banner {
    display: grid;
    gap: 0.5rem;
  }
}

a:hover,
a:focus-visible {
  outline: 2px solid var(--accent);
  text-decoration: underline;
}`,
  plaintext: `Dear neighbors,

Here is the plan for the summer party. You can bring a cake or a salad.
Let me know until Friday what you bring.

We meet at six in the garden of number nine.
The music ends at eleven. Please take the glasses home with you.

I hope for good weather. Thank you for the chairs!

Best wishes,
Ingrid`,
};
