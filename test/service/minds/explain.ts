import { pick } from '../random.ts';
import { type Code, type Declaration, sourceOf } from './code-reading.ts';
import { purposeOf } from './purpose.ts';
import { remarksOn } from './remarks.ts';
import { fenced, isScript, nameOf, plural } from './wording.ts';

/** Attached code, read. */
export interface Reading {
  readonly code: Code;
  readonly declarations: readonly Declaration[];
  readonly random: () => number;
}

/** Paragraphs that say what the code is and does. */
export function explain({ code, declarations, random }: Reading): string[] {
  const lines = code.text.split('\n').length;
  const opening = pick(random, ['Here is how', 'In short, this is how', 'This is how']);
  return [
    `${opening} ${nameOf(code)} works. It has ${plural(lines, 'line')} and declares ${counted(declarations)}.`,
    tableOf(declarations),
    flow(code, declarations),
    remarks(code),
    example(code, declarations),
  ];
}

function counted(declarations: readonly Declaration[]): string {
  const functions = declarations.filter(({ kind }) => kind === 'function').length;
  const types = declarations.length - functions;
  if (declarations.length === 0) return 'nothing by name, so it runs from top to bottom';
  return [functions && plural(functions, 'function'), types && plural(types, 'type')]
    .filter(Boolean)
    .join(' and ');
}

/** The declarations as a Markdown table. */
export function tableOf(declarations: readonly Declaration[]): string {
  if (declarations.length === 0) return '';
  const rows = declarations.slice(0, 10).map((declaration) => {
    const { name, line, parameters } = declaration;
    const list = parameters.map((parameter) => `\`${parameter}\``).join(', ') || '–';
    const purpose = purposeOf(declaration).replaceAll('|', '\\|');
    return `| \`${name}\` | ${line} | ${list} | ${purpose} |`;
  });
  return ['| Name | Line | Parameters | What it does |', '| --- | --: | --- | --- |', ...rows].join(
    '\n',
  );
}

function flow(code: Code, declarations: readonly Declaration[]): string {
  const functions = declarations.filter(({ kind }) => kind === 'function');
  const items = functions.flatMap((caller) => {
    const [, ...body] = sourceOf(code, caller).split('\n');
    const called = functions.filter(
      ({ name }) => name !== caller.name && body.join('\n').includes(`${name}(`),
    );
    const names = called.map(({ name }) => `\`${name}\``);
    return names.length > 0 ? [`- \`${caller.name}\` calls ${names.join(', ')}.`] : [];
  });
  return items.length > 0 ? `### How it fits together\n\n${items.slice(0, 6).join('\n')}` : '';
}

function remarks(code: Code): string {
  const found = remarksOn(code).slice(0, 4);
  if (found.length === 0) return '';
  const items = found.map(({ line, text }) => `- **Line ${line}**: ${text}`);
  return `### Worth a look\n\n${items.join('\n')}`;
}

function example(code: Code, declarations: readonly Declaration[]): string {
  const main = declarations.find(({ kind }) => kind === 'function');
  if (main === undefined) return '';
  const call = `${main.name}(${main.parameters.join(', ')})`;
  const usage = isScript(code) ? `const result = ${call};` : `result = ${call}`;
  return `### Using it\n\n${fenced(code.language, usage)}`;
}
