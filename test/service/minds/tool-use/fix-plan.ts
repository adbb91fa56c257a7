import { changeFile, firstLine } from './edit-plan.ts';
import { type Failure, failureIn } from './failure.ts';
import { readLines } from './file-lines.ts';
import type { Fix, Source } from './fix.ts';
import { nameFix } from './fix-name.ts';
import { fixFor } from './fixes.ts';
import { baseName, folderOf } from './path-like.ts';
import { insist, type Plan, type Report } from './plan.ts';
import { pathsIn } from './search-hits.ts';
import type { Toolbox, Wanted } from './toolbox.ts';

const attempts = 3;
const filesRead = 4;

/**
 * Makes a call that checks something, reads where it fails, mends what is obvious and checks again, up to three times.
 * @param name Of what is checked, for the person: a command line, a file.
 */
export function* fixWhatFails(check: Wanted, name: string, toolbox: Toolbox): Plan {
  const fixes: Fix[] = [];
  for (let attempt = 0; ; attempt++) {
    const say =
      attempt === 0
        ? `I check \`${name}\` to see what fails.`
        : 'I check again to see whether that was it.';
    const [ran] = yield* insist({ say, calls: [check] });
    if (ran?.kind !== 'done')
      return { text: `The check of \`${name}\` did not run: ${firstLine(ran?.text ?? '')}` };
    const failure = failureIn(ran.text);
    if (failure === undefined) return success(name, fixes);
    const fix = attempt < attempts ? yield* lookFor(failure, toolbox) : undefined;
    if (fix === undefined) return giveUp(name, failure, fixes);
    const { kind } = yield* changeFile({
      path: fix.path,
      change: fix.change,
      toolbox,
      say: `${capital(fix.why)} in line ${fix.line} of \`${fix.path}\`. I change that line.`,
    });
    if (kind !== 'changed') return giveUp(name, failure, fixes);
    fixes.push(fix);
  }
}

function success(name: string, fixes: readonly Fix[]): Report {
  if (fixes.length === 0) return { text: `\`${name}\` passes; there was nothing to fix.` };
  const points = fixes.map(({ path, line, why }) => `- \`${path}:${line}\`: ${why}.`);
  return {
    text: `\`${name}\` passes now. What was wrong:\n\n${points.join('\n')}`,
    paths: fixes.map(({ path }) => path),
  };
}

function giveUp(name: string, { message, places }: Failure, fixes: readonly Fix[]): Report {
  const [place] = places;
  const where = place === undefined ? '' : ` at \`${place.path}:${place.line}\``;
  const done =
    fixes.length === 0
      ? 'I changed nothing'
      : `I changed ${fixes.map(({ path }) => `\`${path}\``).join(', ')}, which was not enough`;
  return {
    text: `\`${name}\` still fails${where}: ${message}\n\nI see no obvious fix for that. ${done}.`,
    paths: fixes.map(({ path }) => path),
  };
}

/** Reads the files that the failure names, then what those import, until one of them explains it. */
function* lookFor(failure: Failure, toolbox: Toolbox): Plan<Fix | undefined> {
  const named = [...new Set(failure.places.map(({ path }) => path))].slice(0, filesRead);
  if (named.length === 0) return undefined;
  const sources = yield* readAll(named, toolbox);
  const imported = sources.flatMap(importsOf).filter((path) => !named.includes(path));
  // What fails is seldom what is wrong: what it imports comes first, except for names.
  const direct = imported.length === 0 ? fixFor(failure, sources) : nameFix(failure, sources);
  if (direct !== undefined || imported.length === 0) return direct;
  const more = yield* readAll([...new Set(imported)].slice(0, filesRead), toolbox);
  return fixFor(failure, [...more, ...sources]);
}

function* readAll(paths: readonly string[], toolbox: Toolbox): Plan<readonly Source[]> {
  const read = yield* insist({ calls: paths.map((path) => toolbox.call('read_file', { path })) });
  const sources: Source[] = [];
  for (const [index, outcome] of read.entries()) {
    const path = paths[index]!;
    const found =
      outcome.kind === 'done' ? { path, text: outcome.text } : yield* elsewhere(path, toolbox);
    if (found !== undefined) sources.push({ path: found.path, lines: readLines(found.text) });
  }
  return sources;
}

/** `./math` may be `math.ts`, and a runner may name its own copy of a file. */
function* elsewhere(
  path: string,
  toolbox: Toolbox,
): Plan<{ path: string; text: string } | undefined> {
  if (!toolbox.has('find_files')) return undefined;
  const stem = baseName(path).replace(/\.\w+$/, '');
  const [found] = yield* insist({ calls: [toolbox.call('find_files', { glob: `**/${stem}.*` })] });
  const place =
    found?.kind === 'done' ? pathsIn(found.text).find((each) => each !== path) : undefined;
  if (place === undefined) return undefined;
  const [read] = yield* insist({ calls: [toolbox.call('read_file', { path: place })] });
  return read?.kind === 'done' ? { path: place, text: read.text } : undefined;
}

function importsOf({ path, lines }: Source): string[] {
  const text = [...lines.values()].join('\n');
  const relative = [
    ...text.matchAll(/(?:from|import|require)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g),
  ].map(([, target = '']) => joined(folderOf(path), target));
  const python = [...text.matchAll(/^(?:from|import)\s+([a-z_]\w*)\b(?!.*['"])/gm)].map(
    ([, module]) => `${folderOf(path)}${module}.py`,
  );
  return path.endsWith('.py') ? python : relative;
}

function joined(folder: string, target: string): string {
  const steps: string[] = [];
  for (const step of `${folder}${target}`.split('/')) {
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop();
    else if (step !== '.') steps.push(step);
  }
  return steps.join('/');
}

const capital = (text: string): string =>
  /^[a-z]/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
