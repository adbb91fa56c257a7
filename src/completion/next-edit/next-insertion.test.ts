import { fc } from '../../../test/support/property.ts';
import { expect, test } from 'vitest';
import { isSubsequence } from './line-edit.ts';
import { deriveEditPattern } from './edit-pattern.ts';
import { type EditedLine, findInsertion } from './next-insertion.ts';

/** Applies the suggested insertion to a line, in which `|` marks the cursor. Shows the inserted text as `[text]`. */
function formatSuggestedText(
  edit: readonly [string, string],
  line: string,
  originalText?: string,
): string | undefined {
  const pattern = deriveEditPattern(...edit);
  if (!pattern) throw new Error('Nothing was learnt.');
  const editedLine = parseEditedLine(line, originalText);
  const insertion = findInsertion(pattern, editedLine);
  if (!insertion) return undefined;
  const { start, end, text, resultLine } = insertion;
  expect(editedLine.text.slice(0, start) + text + editedLine.text.slice(end)).toBe(resultLine);
  expect(isSubsequence(editedLine.text.slice(start, end), text)).toBe(true);
  expect(start).toBeGreaterThanOrEqual(editedLine.character);
  return `${editedLine.text.slice(0, start)}[${text}]${editedLine.text.slice(end)}`;
}

function parseEditedLine(line: string, originalText = line.replace('|', '')): EditedLine {
  return { text: line.replace('|', ''), originalText, character: line.indexOf('|') };
}

const suffixEdit = ['getUser(a)', 'getUserById(a)'] as const;
const renameEdit = ['x = oldName;', 'x = newName;'] as const;
const prefixEdit = ['x = fetchUser(1);', 'x = await fetchUser(1);'] as const;
const wrapEdit = ['x = total;', 'x = round(total);'] as const;
const optionalChainEdit = ['user.name', 'user?.name'] as const;
const selfEdit = ['return total;', 'return this.total;'] as const;
const lastArgumentEdit = ['load(id);', 'load(id, options);'] as const;
const firstArgumentEdit = ['load(id);', 'load(db, id);'] as const;
const onlyArgumentEdit = ['load();', 'load(options);'] as const;

test.each([
  ['a name suffix', '|  y = getUser(b);', '  y = getUser[ById](b);', suffixEdit],
  ['a name suffix', '  y = getUser|(b);', '  y = getUser[ById](b);', suffixEdit],
  ['a name suffix', '|getUser(a) + getUser(b)', 'getUser[ById](a) + getUser(b)', suffixEdit],
  [
    'a name suffix',
    'getUserById(a) +| getUser(b)',
    'getUserById(a) + getUser[ById](b)',
    suffixEdit,
  ],
  [
    'a name suffix',
    '| getUserById(a) + getUser(b)',
    ' getUserById(a) + getUser[ById](b)',
    suffixEdit,
  ],
  ['a keyword', '|return fetchUser(2);', 'return [await ]fetchUser(2);', prefixEdit],
  ['a function call around a name', '|y = total + 1', 'y = [round(total)] + 1', wrapEdit],
  ['an optional chain', '|return user.email', 'return user[?].email', optionalChainEdit],
  ['the prefix "this."', '|x = total;', 'x = [this.]total;', selfEdit],
  ['a last argument', '|  load(name)', '  load(name[, options])', lastArgumentEdit],
  [
    'a last argument',
    '|f(load(a[1], ")"), load(x))',
    'f(load(a[1], ")"), load(x[, options]))',
    lastArgumentEdit,
  ],
  ['a last argument', '|f(load(g(1, 2)), 3)', 'f(load(g(1, 2)[, options]), 3)', lastArgumentEdit],
  ['a first argument', '|load(name)', 'load([db, ]name)', firstArgumentEdit],
  ['an only argument', '|load()', 'load([options])', onlyArgumentEdit],
])('findInsertion repeats the insertion of %s in the line %j as %j', (_, line, expected, edit) => {
  expect(formatSuggestedText(edit, line)).toBe(expected);
});

test.each([
  ['if the cursor is after the position', suffixEdit, 'getUser(a|)'],
  ['where the edit was already made', suffixEdit, '|getUserById(a)'],
  ['where the edit was already made', prefixEdit, '|x = await fetchUser(1);'],
  ['where the edit was already made', wrapEdit, '|x = round(total);'],
  ['where the edit was already made', selfEdit, '|return this.total;'],
  ['where the edit was already made', lastArgumentEdit, '|load(id, options);'],
  ['where the argument already exists', onlyArgumentEdit, '|load(options)'],
  ['where the argument already exists', ['load(a);', 'load(a, b);'] as const, '|load(b)'],
  ['in a longer word', suffixEdit, '|forgetUser(a)'],
  ['in a longer word', suffixEdit, '|getUsers(a)'],
  ['on another object', selfEdit, '|return that.total;'],
  [
    'if the line does not end after the match',
    ['const total', 'const total: number'] as const,
    '|const total = 1',
  ],
  ['for a replacement that ghost text cannot show', renameEdit, '|y = oldName;'],
  ['at calls of another function', lastArgumentEdit, '|reload(id)'],
  ['at calls with more arguments', lastArgumentEdit, '|load(id, x)'],
  ['at calls that continue on the next line', lastArgumentEdit, '|load(id,'],
])('findInsertion suggests nothing %s', (_, edit, line) => {
  expect(formatSuggestedText(edit, line)).toBeUndefined();
});

test.each([
  ['after the old word was deleted', renameEdit, 'y = |;', 'y = oldName;', 'y = [newName];'],
  [
    'after a part of the new word was typed',
    renameEdit,
    'y = new|;',
    'y = oldName;',
    'y = new[Name];',
  ],
  [
    'after the differing part was deleted',
    ['getUser()', 'getAccount()'] as const,
    'get|()',
    'getUser()',
    'get[Account]()',
  ],
  [
    'while the insertion is typed',
    prefixEdit,
    'x = aw|fetchUser(3)',
    'x = fetchUser(3)',
    'x = aw[ait ]fetchUser(3)',
  ],
  [
    'while the first letters of insertion and word are equal',
    ['apiCall();', 'await apiCall();'] as const,
    'a|apiCall();',
    'apiCall();',
    'a[wait ]apiCall();',
  ],
  [
    'while the surrounding call is typed',
    wrapEdit,
    'y = round(|total',
    'y = total',
    'y = round(total[)]',
  ],
] as const)(
  'findInsertion suggests the rest of an edit %s',
  (_, edit, line, originalText, expected) => {
    expect(formatSuggestedText(edit, line, originalText)).toBe(expected);
  },
);

test.each([
  ['different text was typed', renameEdit, 'y = x|;', 'y = oldName;'],
  ['more than the old word was deleted', renameEdit, 'y|;', 'y = oldName;'],
  ['the new word is complete', renameEdit, 'y = newName|;', 'y = oldName;'],
  ['the line changed elsewhere', suffixEdit, 'y =| getUser(a)', 'x = getUser(a)'],
  ['the call was deleted', prefixEdit, 'x = |', 'x = fetchUser(3)'],
])('findInsertion suggests nothing if %s', (_, edit, line, originalText) => {
  expect(formatSuggestedText(edit, line, originalText)).toBeUndefined();
});

test('findInsertion returns an insertion that VS Code can show as ghost text, for random edits', () => {
  const token = fc.constantFrom('foo', 'bar', '(', ')', ',', ' ', '"', '.', '[', '😀', 'await ');
  const line = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(''));
  fc.assert(
    fc.property(line, line, line, fc.nat(), (before, after, otherLine, offset) => {
      const pattern = deriveEditPattern(before, after);
      if (!pattern) return;
      const character = offset % (otherLine.length + 1);
      const insertion = findInsertion(pattern, {
        text: otherLine,
        originalText: otherLine,
        character,
      });
      if (!insertion) return;
      const { start, end, text, resultLine } = insertion;
      expect(text).not.toBe('');
      expect(start).toBeGreaterThanOrEqual(character);
      expect(isSubsequence(otherLine.slice(start, end), text)).toBe(true);
      expect(otherLine.slice(0, start) + text + otherLine.slice(end)).toBe(resultLine);
    }),
    { numRuns: 2_000 },
  );
});
