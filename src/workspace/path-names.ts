import * as l10n from '@vscode/l10n';
import type { Reason } from './verdict.ts';

/** As a file system counts them: bytes of UTF-8. */
const longestPath = 4_096;
const longestName = 255;

/**
 * Why no rule may allow a path, by its text alone; undefined when its names are plain. What any system reads in a
 * special way is refused on every system: what is checked here may be opened there.
 * @param path As a model wrote it, with slashes of either kind.
 */
export function refusePathName(path: string): Reason | undefined {
  const found =
    rules.find(({ breaks }) => breaks(path)) ??
    namesOf(path)
      .map((name) => nameRules.find(({ breaks }) => breaks(name)))
      .find((rule) => rule !== undefined);
  return found && { code: found.code, text: found.text() };
}

interface NameRule {
  readonly code: string;
  readonly text: () => string;
  readonly breaks: (text: string) => boolean;
}

const rules: readonly NameRule[] = [
  {
    code: 'empty',
    text: () => l10n.t('The path is empty.'),
    breaks: (path) => path.trim() === '',
  },
  {
    code: 'too-long',
    text: () => l10n.t('The path is longer than a file system takes.'),
    breaks: (path) => bytesOf(path) > longestPath,
  },
  {
    code: 'control-character',
    text: () => l10n.t('The path holds a line break or another control character.'),
    breaks: (path) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(path),
  },
  {
    code: 'hidden-character',
    text: () => l10n.t('The path holds characters that nobody can see.'),
    breaks: (path) => /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u.test(path),
  },
  {
    code: 'look-alike',
    text: () => l10n.t('The path holds characters that only look like dots, slashes or tildes.'),
    breaks: (path) => Array.from(path).some(isLookAlike),
  },
  {
    code: 'network-path',
    text: () => l10n.t('The path leads to another machine or to a device.'),
    breaks: (path) => /^[\\/]{2}/u.test(path),
  },
  {
    code: 'home',
    text: () =>
      l10n.t('The path begins with a tilde, which is not expanded. Write the whole path.'),
    breaks: (path) => path.startsWith('~'),
  },
  {
    code: 'colon',
    text: () =>
      l10n.t(
        'The path holds a colon: an address, a stream of a file, or a drive without a folder.',
      ),
    breaks: (path) => path.replace(/^\/?[a-z]:(?=[\\/])/iu, '').includes(':'),
  },
  {
    code: 'forbidden-character',
    text: () =>
      l10n.t('The path holds one of < > " | ? *, which not every system allows in names.'),
    breaks: (path) => /[<>"|?*]/u.test(path),
  },
  {
    code: 'leading-dash',
    text: () => l10n.t('A name begins with a dash: a command would take it for an option.'),
    breaks: (path) => path.startsWith('-') || (namesOf(path).at(-1)?.startsWith('-') ?? false),
  },
];

const nameRules: readonly NameRule[] = [
  {
    code: 'too-long',
    text: () => l10n.t('A name in the path is longer than 255 bytes.'),
    breaks: (name) => bytesOf(name) > longestName,
  },
  {
    code: 'trailing-dot',
    text: () =>
      l10n.t('A name in the path ends with a dot or a space, which some systems leave out.'),
    breaks: (name) => name !== '.' && name !== '..' && /[.\p{Zs}]$/u.test(name),
  },
  {
    code: 'reserved-name',
    text: () => l10n.t('A name in the path is reserved for a device on some systems.'),
    breaks: (name) =>
      /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$)\s*(?:\.|$)/iu.test(
        name.normalize('NFKC'),
      ),
  },
  {
    code: 'short-name',
    text: () =>
      l10n.t('A name in the path may be the short form of another one. Write the whole name.'),
    breaks: (name) => /~\d/u.test(name.normalize('NFKC')),
  },
];

/**
 * Not colons and question marks: their wide forms are usual in Chinese and Japanese names and mean nothing to a
 * file system, while dots, slashes and tildes make another path when a program folds them.
 */
const isLookAlike = (character: string): boolean =>
  !/^[./\\~]$/u.test(character) && /[./\\~]/u.test(character.normalize('NFKC'));

const namesOf = (path: string): string[] => path.split(/[\\/]/u).filter((name) => name !== '');

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
