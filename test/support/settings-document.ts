import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.ts';

interface Setting {
  readonly order?: number;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly markdownDescription?: string;
}

interface Manifest {
  readonly contributes: {
    readonly configuration: readonly {
      readonly title: string;
      readonly properties: Readonly<Record<string, Setting>>;
    }[];
  };
}

const readJson = (name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'));

/** Formats all settings of the manifest as a Markdown document, in the order of the manifest. */
export function formatSettings(): string {
  const texts = readJson('package.nls.json') as Record<string, string>;
  const readText = (key = ''): string => texts[key.slice(1, -1)] ?? key;
  const sections = (readJson('package.json') as Manifest).contributes.configuration.map(
    ({ title, properties }) => {
      const rows = Object.entries(properties).map(([name, setting]) =>
        formatRow(name, setting, readText(setting.markdownDescription ?? setting.description)),
      );
      return `## ${readText(title)}\n\n| Setting | Default | Effect |\n|---|---|---|\n${rows.join('\n')}\n`;
    },
  );
  const heading = `# Settings

This page is generated from the manifest by \`npm run settings-document\`. Settings that decide where a key goes are read from the user
settings only. [troubleshooting.md](troubleshooting.md#settings-that-vs-code-does-not-list) lists settings that VS Code does not list.
`;
  return [heading, ...sections].join('\n');
}

function formatRow(
  name: string,
  { default: value, enum: choices }: Setting,
  effect: string,
): string {
  const valuesText = choices
    ? ` Values: ${choices.map((choice) => `\`${choice}\``).join(', ')}.`
    : '';
  // The links of VS Code's settings editor have no target outside it.
  const description = effect.replaceAll(/`#(?<id>[\w.]+)#`/gu, '`$<id>`').replaceAll(/\s+/gu, ' ');
  const cell = `${description}${valuesText}`.replaceAll('|', String.raw`\|`);
  return `| \`${name}\` | ${value === undefined ? '' : `\`${JSON.stringify(value)}\``} | ${cell} |`;
}
