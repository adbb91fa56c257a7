/** Short documents by language id, from which the corpus of unseen answers is generated. */
export const unseenSamples: Readonly<Record<string, string>> = {
  html: `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Bakery on the Corner</title>
    <link rel="stylesheet" href="bakery.css">
  </head>
  <body>
    <header class="banner">
      <h1>Fresh bread every morning</h1>
      <p>Our ovens start at four. The first loaves leave at six.</p>
    </header>
    <main>
      <h2>Today</h2>
      <ul id="loaves">
        <li>Rye with caraway</li>
        <li>Wheat with walnuts</li>
        <li>Spelt, dark</li>
      </ul>
      <p>
        Order before noon to collect your bread the next day.
        Large orders need two days.
      </p>
      <!-- The form posts to the shop. -->
      <form action="/order" method="post">
        <label for="name">Name</label>
        <input id="name" name="name" required>
        <button type="submit">Order</button>
      </form>
    </main>
    <footer>Closed on Mondays. Call us for weddings.</footer>
  </body>
</html>`,
  latex: `\\section{Sourdough}
Sourdough is a culture of yeast and bacteria. Bakers feed it with flour and water.
The culture lives for decades when it is fed.

% Temperatures follow the survey.
\\subsection{Temperature}
Warm dough ferments faster than cold dough. A baker can slow it down in a cellar.
\\begin{enumerate}
  \\item Mix the flour with the water.
  \\item Add the culture after thirty minutes.
  \\item Fold the dough every hour.
\\end{enumerate}

The growth follows
\\begin{align}
  N(t) &= N_0 e^{kt}, \\\\
  k &= \\frac{\\ln 2}{d}.
\\end{align}
Here $d$ is the time in which the culture doubles.

\\subsection{Flour}
Rye flour holds more water than wheat. See Table~\\ref{tab:flour} for numbers.
\\begin{table}
  \\caption{Water in percent of the flour.}
  \\label{tab:flour}
\\end{table}`,
  markdown: `# Bread Calculator

A small tool that scales recipes. It reads YAML and writes a table.

## Install

Run this in the folder of the recipes:

\`\`\`sh
npm install bread-calculator
bread scale rye.yml --loaves 12
\`\`\`

## Recipes

A recipe has a name and a list of ingredients:

- **Flour** counts as one hundred percent.
- *Water* is given in percent of the flour.
- Salt is optional.

| Name  | Water |
| ----- | ----- |
| Rye   | 82 %  |
| Wheat | 68 %  |

> Percentages can be larger than one hundred.

## Contributing

We welcome recipes of all regions. Open an issue before you send a large change.
Tests run with \`npm test\`.`,
  python: `"""Scale bread recipes.

The percentages refer to the flour, which counts as one hundred.
"""
import math
from dataclasses import dataclass


@dataclass
class Ingredient:
    """One line of a recipe.

    The weight is in grams. Negative weights raise an error.
    """

    name: str
    weight: float = 0.0

    def scaled(self, factor: float) -> "Ingredient":
        """Return the ingredient for a larger recipe.

        Args:
            factor: Number of loaves divided by the loaves of the recipe.

        Returns:
            A new ingredient. The name stays the same.
        """
        if factor < 0:
            raise ValueError("factor is negative")
        return Ingredient(self.name, self.weight * factor)


def total_weight(ingredients):
    # Round up so that the dough suffices.
    total = sum(part.weight for part in ingredients)
    return math.ceil(total)


def water_ratio(recipe):
    flour = recipe["flour"]
    for name, weight in recipe.items():
        if name == "water":
            return weight / flour
    return 0`,
  yaml: `name: bakery
on:
  push:
    branches: [main]
  schedule:
    - cron: '0 4 * * *'

# The ovens report every hour.
env:
  OVEN_COUNT: 3
  REGION: north

jobs:
  scale:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Install
        run: npm ci
      - name: Scale the recipes
        run: |
          bread scale rye.yml
          bread scale wheat.yml
  publish:
    needs: scale
    if: github.ref == 'refs/heads/main'
    steps:
      - name: Publish
        run: ./publish.sh --region "$REGION"`,
  sql: `-- Orders of the bakery.
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer TEXT NOT NULL,
  loaves INTEGER DEFAULT 1,
  collected_at TIMESTAMP
);

CREATE INDEX orders_by_customer ON orders (customer);

-- Customers with more than ten loaves.
SELECT customer, SUM(loaves) AS total
FROM orders
WHERE collected_at IS NOT NULL
  AND loaves > 0
GROUP BY customer
HAVING SUM(loaves) > 10
ORDER BY total DESC;

UPDATE orders
SET loaves = loaves + 1
WHERE customer = 'Mayor'
  AND collected_at IS NULL;

INSERT INTO orders (customer, loaves) VALUES ('School', 24);`,
  shellscript: `#!/usr/bin/env bash
# Bakes all recipes of a folder.
set -euo pipefail

folder="\${1:-recipes}"
count=0

log() {
  echo "[$(date +%T)] $*" >&2
}

bake() {
  local recipe="$1"
  log "Baking $recipe"
  if [[ ! -f "$recipe" ]]; then
    log "Missing: $recipe"
    return 1
  fi
  oven --heat 230 < "$recipe" || return 2
}

for recipe in "$folder"/*.yml; do
  # Skip drafts.
  case "$recipe" in
    *draft*) continue ;;
  esac
  bake "$recipe" && count=$((count + 1))
done

cat <<EOT
Baked $count recipes.
The bread is on the shelf.
EOT`,
  makefile: `# Builds the bread calculator.
CC = clang
CFLAGS = -O2 -Wall
OBJECTS = main.o recipe.o oven.o

.PHONY: all clean install

all: bread

bread: $(OBJECTS)
\t$(CC) $(CFLAGS) -o $@ $^

%.o: %.c recipe.h
\t$(CC) $(CFLAGS) -c $<

# Copies the binary.
install: bread
\tmkdir -p $(PREFIX)/bin
\tcp bread $(PREFIX)/bin/
\t@echo "Installed the calculator"

clean:
\trm -f $(OBJECTS) bread
\t@if [ -d cache ]; then \\
\t\trm -r cache; \\
\tfi`,
  plaintext: `Dear guests,

The bakery moves to the market square in spring. The new shop has a larger oven and a room with tables.
You can collect your orders there from the first of April.

Prices stay the same until summer. Bread from the day before costs half.

Opening hours
  Tuesday to Friday   06:00 to 18:00
  Saturday            06:00 to 13:00

We look forward to your visit. Children get a pretzel.

With kind regards
The bakers`,
  typescript: `import { readFile } from 'node:fs/promises';

/** Weight of a loaf in grams. */
export const loafWeight = 750;

export interface Recipe {
  readonly name: string;
  readonly water: number;
}

/**
 * Parses a recipe.
 *
 * Throws if the recipe has no name. The water is optional.
 */
export function parseRecipe(text: string): Recipe {
  const record = JSON.parse(text) as Partial<Recipe>;
  if (record.name === undefined) {
    throw new Error('The recipe has no name.');
  }
  return { name: record.name, water: record.water ?? 0 };
}

export async function loadRecipes(paths: readonly string[]): Promise<Recipe[]> {
  const recipes: Recipe[] = [];
  for (const path of paths) {
    // Broken recipes are skipped.
    try {
      recipes.push(parseRecipe(await readFile(path, 'utf8')));
    } catch (error) {
      console.warn(\`Skipped \${path}\`, error);
    }
  }
  return recipes;
}`,
  go: `package bakery

import (
\t"errors"
\t"fmt"
)

// Loaf is one bread of an order.
// The weight is in grams.
type Loaf struct {
\tName   string
\tWeight int
}

var errEmpty = errors.New("order is empty")

// Total returns the weight of an order.
func Total(loaves []Loaf) (int, error) {
\tif len(loaves) == 0 {
\t\treturn 0, errEmpty
\t}
\tsum := 0
\tfor _, loaf := range loaves {
\t\tsum += loaf.Weight
\t}
\treturn sum, nil
}

func (l Loaf) String() string {
\tswitch {
\tcase l.Weight > 1000:
\t\treturn fmt.Sprintf("%s (large)", l.Name)
\tdefault:
\t\treturn l.Name
\t}
}`,
  rust: `//! Scales recipes.
use std::fmt;

/// An ingredient of a recipe.
///
/// The weight is in grams.
pub struct Ingredient {
    name: String,
    weight: f64,
}

impl Ingredient {
    /// Returns the ingredient for more loaves.
    pub fn scale(&self, factor: f64) -> Self {
        // Salt does not scale linearly.
        let exponent = if self.name == "salt" { 0.95 } else { 1.0 };
        Self {
            name: self.name.clone(),
            weight: self.weight * factor.powf(exponent),
        }
    }
}

impl fmt::Display for Ingredient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} g {}", self.weight, self.name)
    }
}`,
  css: `/* Colors of the bakery. */
:root {
  --crust: #8a5a2b;
  --flour: #faf6ef;
}

.banner {
  background: var(--crust);
  color: var(--flour);
  padding: 2rem 1rem;
}

/* Loaves are listed in columns. */
.loaves > li {
  display: grid;
  grid-template-columns: 1fr auto;
  gap: 0.5rem;
}

@media (max-width: 40rem) {
  .banner {
    padding: 1rem;
  }
}`,
  json: `{
  "name": "bread-calculator",
  "version": "2.1.0",
  "description": "Scales recipes for bread",
  "scripts": {
    "build": "tsc --build",
    "test": "vitest run"
  },
  "keywords": ["bread", "recipe"],
  "dependencies": {
    "yaml": "^2.4.0",
    "commander": "^12.0.0"
  },
  "ovens": [
    { "name": "stone", "heat": 260 },
    { "name": "steel", "heat": 230 }
  ]
}`,
  ruby: `# Reads orders and prints them.
require 'csv'

module Bakery
  # An order of a customer.
  class Order
    attr_reader :customer, :loaves

    def initialize(customer, loaves)
      @customer = customer
      @loaves = Integer(loaves)
    end

    # Orders of more than ten loaves get a discount.
    def large?
      loaves > 10
    end
  end

  def self.load(path)
    CSV.foreach(path, headers: true).map do |row|
      Order.new(row['customer'], row['loaves'])
    end
  end
end

orders = Bakery.load('orders.csv')
orders.each { |order| puts order.customer }`,
  dockerfile: `# Image of the bread calculator.
FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci

COPY . .
RUN npm run build \\
    && npm prune --omit=dev

FROM node:22-slim
LABEL description="Scales recipes"
ENV OVEN_HEAT=230
COPY --from=build /app/dist /app
# Runs as a user without rights.
USER node
EXPOSE 8080
CMD ["node", "/app/server.js"]`,
};
