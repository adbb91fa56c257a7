import * as l10n from '@vscode/l10n';
import { looksSecret } from './secret-file.ts';
import type { Resource } from '../agent/tool.ts';
import type { PathFacts } from './path-facts.ts';
import { foldPath } from '../base/fold-path.ts';
import { refusePathName } from './path-names.ts';
import { isPrivatePlace } from './private-places.ts';
import { addsRemoteReference, type TextChange } from './remote-reference.ts';
import { sensitiveReason } from './sensitive-files.ts';
import { type Decision, strictest, type Verdict } from './verdict.ts';

export type PathAccess = Extract<Resource, { type: 'path' }>['access'];

/**
 * Whether a tool may reach a path. Reading inside the workspace is allowed; everything else asks at least. Every rule
 * looks at the name and at the place where links lead, and none is skipped because another one allowed.
 * @param change Of a write, where it is known.
 */
export function judgePath(facts: PathFacts, access: PathAccess, change?: TextChange): Verdict {
  const question = { ...facts, access, changes: access !== 'read', change };
  return strictest(rules.flatMap((rule) => rule(question) ?? []));
}

interface Question extends PathFacts {
  readonly access: PathAccess;
  readonly changes: boolean;
  readonly change: TextChange | undefined;
}

type Rule = (question: Question) => Verdict | undefined;

const rules: readonly Rule[] = [
  plainName,
  plainFile,
  insideWorkspace,
  notThroughLinks,
  noSecret,
  noInternals,
  notSensitive,
  noRemoteReference,
  wholeFolders,
  changesAsk,
];

function plainName({ path }: Question): Verdict | undefined {
  const refusal = path === '' ? undefined : refusePathName(path);
  return refusal && { decision: 'refuse', reasons: [refusal], rememberable: false };
}

/** Reading a device or a pipe may never end, and writing to one is not undone. */
function plainFile({ kind }: Question): Verdict | undefined {
  if (kind !== 'other') return undefined;
  return verdict('refuse', 'special-file', l10n.t('It is neither a file nor a folder.'));
}

function insideWorkspace(question: Question): Verdict | undefined {
  const { inside, realInside, changes } = question;
  if (inside && realInside) return undefined;
  const text = inside
    ? l10n.t('A link leads out of the workspace.')
    : l10n.t('The path is outside the workspace.');
  const outside = places(question).filter((_, index) => [!inside, !realInside][index]);
  const rememberable = !changes && !outside.some(isPrivatePlace);
  return { ...verdict('ask', 'outside-workspace', text), rememberable };
}

function notThroughLinks(question: Question): Verdict | undefined {
  const { access, changes, isLink, path, realPath, inside, realInside } = question;
  if (access === 'write' && isLink) {
    return verdict('refuse', 'link', l10n.t('The path is a link. Name the file that it leads to.'));
  }
  if (!changes || inside !== realInside || foldPath(path) === foldPath(realPath)) return undefined;
  return verdict('ask', 'link', l10n.t('A link leads to another place than the path says.'));
}

function noSecret(question: Question): Verdict | undefined {
  // As a folder too: what is below it is what a listing or a search shows.
  const forms = places(question).flatMap((path) => [path, foldPath(path), `${foldPath(path)}/`]);
  if (!forms.some(looksSecret)) return undefined;
  return verdict('ask', 'secret', l10n.t('The file may hold keys or passwords.'));
}

function noInternals(question: Question): Verdict | undefined {
  const isInternal = (path: string): boolean => foldPath(path).split('/').includes('.git');
  if (!places(question).some(isInternal)) return undefined;
  return verdict(
    'ask',
    'git-internals',
    l10n.t('Git keeps addresses and access tokens in this folder.'),
  );
}

function notSensitive(question: Question): Verdict | undefined {
  if (!question.changes) return undefined;
  const reason = places(question)
    .map(sensitiveReason)
    .find((each) => each !== undefined);
  return reason && { decision: 'ask', reasons: [reason], rememberable: false };
}

function noRemoteReference({ change }: Question): Verdict | undefined {
  if (change === undefined || !addsRemoteReference(change)) return undefined;
  const text = l10n.t('The editor would fetch an address that the file is to name, by itself.');
  return verdict('ask', 'remote-schema', text);
}

function wholeFolders(question: Question): Verdict | undefined {
  const { path, realPath, inside, realInside, changes, kind, access } = question;
  if (!changes) return undefined;
  if ((inside && path === '') || (realInside && realPath === '')) {
    return verdict('refuse', 'workspace-folder', l10n.t('It is a folder of the workspace itself.'));
  }
  if (kind !== 'directory') return undefined;
  const text =
    access === 'delete'
      ? l10n.t('The folder goes with everything in it.')
      : l10n.t('It is a folder with everything in it.');
  return verdict('ask', 'directory', text);
}

function changesAsk({ access }: Question): Verdict | undefined {
  if (access === 'read') return undefined;
  const text = access === 'write' ? l10n.t('It changes a file.') : l10n.t('It deletes a file.');
  return { ...verdict('ask', access, text), rememberable: true };
}

const places = ({ path, realPath }: Question): [string, string] => [path, realPath];

const verdict = (decision: Decision, code: string, text: string): Verdict => ({
  decision,
  reasons: [{ code, text }],
  rememberable: false,
});
