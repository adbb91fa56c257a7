import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { EditMemory, editMemoryLimits } from './edit-memory.ts';
import type { LineCursor } from './line-edit.ts';

/** Editor with one document. Reports each action to the edit memory in the same way as VS Code. */
class FakeEditor {
  readonly clock = new ManualClock();
  readonly memory = new EditMemory(this.clock);
  readonly lines: string[];
  line = 0;
  character = 0;
  languageId = 'typescript';

  constructor(...lines: string[]) {
    this.lines = lines;
    this.memory.moveCursor(this.cursor);
  }

  get cursor(): LineCursor {
    const { line, character, languageId } = this;
    return {
      documentUri: 'file:///a.ts',
      languageId,
      line,
      character,
      text: this.lines[line] ?? '',
    };
  }

  /** Moves the cursor to the first occurrence of `text` on a line. */
  moveCursorTo(line: number, text = ''): void {
    this.line = line;
    this.character = this.cursor.text.indexOf(text);
    this.memory.moveCursor(this.cursor);
  }

  /** Types a text. Each character causes one change and one cursor move. */
  typeText(text: string): void {
    for (const character of text) this.replaceText(0, character);
  }

  /** Deletes `count` characters with the Backspace key. */
  eraseCharacters(count: number): void {
    for (let index = 0; index < count; index++) {
      this.character--;
      this.replaceText(1, '');
    }
  }

  /** Changes all lines at the same time, like a rename. The cursor does not move. */
  renameInLines(rename: (line: string) => string): void {
    const lines = new Set<number>();
    for (const [line, text] of this.lines.entries()) {
      this.lines[line] = rename(text);
      if (this.lines[line] !== text) lines.add(line);
    }
    const { documentUri } = this.cursor;
    this.memory.applyMultiLineChange({
      documentUri,
      lines,
      lineAt: (line) => this.lines[line] ?? '',
    });
  }

  /** Replaces characters after the cursor, like accepting a suggestion. */
  replaceText(removedLength: number, insertedText: string): void {
    const { line, character } = this;
    const { documentUri, text } = this.cursor;
    this.lines[line] =
      text.slice(0, character) + insertedText + text.slice(character + removedLength);
    this.memory.applyChange({
      documentUri,
      line,
      character,
      removedLength,
      insertedText,
    });
    this.character += insertedText.length;
    this.memory.moveCursor(this.cursor);
  }

  /** Text of the current line with the suggestion inserted. Without a suggestion, the unchanged text. */
  get visibleText(): string {
    const insertion = this.memory.suggestInsertion(this.cursor);
    return insertion?.resultLine ?? this.cursor.text;
  }

  acceptSuggestion(): void {
    const insertion = this.memory.suggestInsertion(this.cursor);
    if (!insertion) throw new Error('Nothing is offered.');
    this.character = insertion.start;
    this.replaceText(insertion.end - insertion.start, insertion.text);
  }
}

const callerLines = [
  'a = getUser(1);',
  'b = getUser(2);',
  'c = getUser(3);',
  '',
  'd = getUser(4);',
];

/** Creates an editor in which the user inserted `ById` into the first line. */
function createEditorWithEdit(...lines: string[]): FakeEditor {
  const editor = new FakeEditor(...(lines.length > 0 ? lines : callerLines));
  editor.moveCursorTo(0, '(');
  editor.typeText('ById');
  return editor;
}

test('EditMemory suggests an edit for the next line, and for another line after acceptance', () => {
  const editor = createEditorWithEdit();
  editor.moveCursorTo(1);
  expect(editor.visibleText).toBe('b = getUserById(2);');
  editor.acceptSuggestion();
  expect(editor.visibleText).toBe('b = getUserById(2);');
  editor.moveCursorTo(2);
  expect(editor.visibleText).toBe('c = getUserById(3);');
});

test('EditMemory suggests the edit for the next match on the same line after acceptance', () => {
  const editor = createEditorWithEdit('getUser(1);', 'getUser(2) + getUser(3)');
  editor.moveCursorTo(1);
  editor.acceptSuggestion();
  expect(editor.visibleText).toBe('getUserById(2) + getUserById(3)');
});

test('EditMemory suggests an edit for another match on the same line when the cursor moves to the match', () => {
  const editor = new FakeEditor('getUser(1) + getUser(2)');
  editor.moveCursorTo(0, '(');
  editor.typeText('ById');
  expect(editor.visibleText).toBe('getUserById(1) + getUser(2)');
  editor.moveCursorTo(0, '+');
  expect(editor.visibleText).toBe('getUserById(1) + getUserById(2)');
});

test('EditMemory suggests a replacement after the user deletes the old word, until the user types another text', () => {
  const editor = new FakeEditor('return oldName;', 'return oldName + 1;');
  editor.moveCursorTo(0, ';');
  editor.eraseCharacters('oldName'.length);
  editor.typeText('total');
  editor.moveCursorTo(1, ' +');
  expect(editor.visibleText).toBe('return oldName + 1;');
  editor.eraseCharacters('oldName'.length);
  expect(editor.visibleText).toBe('return total + 1;');
  editor.typeText('to');
  expect(editor.visibleText).toBe('return total + 1;');
  editor.eraseCharacters(1);
  editor.typeText('x');
  expect(editor.visibleText).toBe('return tx + 1;');
});

test('EditMemory suggests an edit that the user made in a single change', () => {
  const editor = new FakeEditor('load(id);', 'load(name);');
  editor.moveCursorTo(0, 'load');
  editor.replaceText('load(id)'.length, 'load(id, options)');
  editor.moveCursorTo(1);
  expect(editor.visibleText).toBe('load(name, options);');
});

test('EditMemory does not suggest an edit again on a line where the user typed a different text', () => {
  const editor = createEditorWithEdit();
  editor.moveCursorTo(1, '(');
  expect(editor.visibleText).toBe('b = getUserById(2);');
  editor.typeText('s');
  editor.eraseCharacters(1);
  editor.moveCursorTo(2);
  expect(editor.visibleText).toBe('c = getUserById(3);');
  editor.moveCursorTo(1);
  expect(editor.visibleText).toBe('b = getUser(2);');
});

test('EditMemory treats typing the suggested text as acceptance', () => {
  const editor = createEditorWithEdit();
  editor.moveCursorTo(1, '(');
  for (const character of 'ById') {
    expect(editor.visibleText).toBe('b = getUserById(2);');
    editor.typeText(character);
  }
  expect(editor.memory.suggestInsertion(editor.cursor)).toBeUndefined();
  editor.moveCursorTo(2);
  expect(editor.visibleText).toBe('c = getUserById(3);');
});

test('EditMemory shifts the line numbers of rejected suggestions when lines are inserted above these lines', () => {
  const editor = createEditorWithEdit();
  editor.moveCursorTo(1, '(');
  expect(editor.visibleText).toContain('ById');
  editor.typeText('s');
  editor.eraseCharacters(1);
  editor.lines.unshift('', '');
  editor.memory.shiftLines('file:///a.ts', -1, 2);
  editor.moveCursorTo(3);
  expect(editor.visibleText).toBe('b = getUser(2);');
  editor.moveCursorTo(4);
  expect(editor.visibleText).toBe('c = getUserById(3);');
});

test.each<[string, (editor: FakeEditor) => unknown]>([
  ['after an undo', ({ memory }) => memory.applyUndo('file:///a.ts', 0)],
  ['after its lifetime', ({ clock }) => clock.advance(editMemoryLimits.ms)],
  ['in another language', (editor) => (editor.languageId = 'python')],
])('EditMemory does not suggest an edit %s', async (_, changeEditor) => {
  const editor = createEditorWithEdit();
  editor.moveCursorTo(1);
  expect(editor.visibleText).toContain('ById');
  await changeEditor(editor);
  editor.moveCursorTo(2);
  expect(editor.visibleText).toBe('c = getUser(3);');
});

test('EditMemory still suggests an edit if the user undid a change on another line', () => {
  const editor = createEditorWithEdit();
  editor.moveCursorTo(3);
  editor.memory.applyUndo('file:///a.ts', 3);
  editor.moveCursorTo(1);
  expect(editor.visibleText).toContain('ById');
});

test('EditMemory does not suggest an edit that was not completed before a reset', () => {
  const editor = createEditorWithEdit();
  editor.memory.reset();
  editor.moveCursorTo(1);
  expect(editor.visibleText).toBe('b = getUser(2);');
});

test('EditMemory removes an edit after the user ignored several of its suggestions', () => {
  const editor = createEditorWithEdit();
  for (let round = 0; round < editMemoryLimits.ignored; round++) {
    editor.moveCursorTo(1);
    expect(editor.visibleText).toContain('ById');
    editor.moveCursorTo(3);
  }
  editor.moveCursorTo(4);
  expect(editor.visibleText).toBe('d = getUser(4);');
});

test('EditMemory removes an edit after the user made many other edits', () => {
  const editor = createEditorWithEdit();
  for (let round = 0; round < editMemoryLimits.laterEdits; round++) {
    editor.moveCursorTo(1);
    editor.moveCursorTo(3);
    editor.typeText('x');
  }
  editor.moveCursorTo(4);
  expect(editor.visibleText).toBe('d = getUser(4);');
});

test('EditMemory stores only the latest edits', () => {
  const names = ['alpha', 'beta1', 'gamma', 'delta'];
  const editor = new FakeEditor(
    ...names.map((name) => `${name}.x`),
    ...names.map((name) => `${name}.x`),
  );
  for (const [line] of names.entries()) {
    editor.moveCursorTo(line, '.');
    editor.typeText('Two');
  }
  const suggestions = names.map((_, index) => {
    editor.moveCursorTo(names.length + index);
    return editor.visibleText;
  });
  expect(suggestions).toEqual(['alpha.x', 'beta1Two.x', 'gammaTwo.x', 'deltaTwo.x']);
});

test('EditMemory extends the lifetime of an edit that the user repeats', async () => {
  const editor = createEditorWithEdit();
  await editor.clock.advance(editMemoryLimits.ms - 1);
  editor.moveCursorTo(1, '(');
  editor.typeText('ById');
  editor.moveCursorTo(2);
  await editor.clock.advance(2);
  expect(editor.visibleText).toBe('c = getUserById(3);');
});

/** Moves the cursor to each line, and rejects the suggestion by typing a different text. */
function rejectSuggestionsOn(editor: FakeEditor, lines: readonly number[]): void {
  for (const line of lines) {
    editor.moveCursorTo(line, '(');
    editor.memory.suggestInsertion(editor.cursor);
    editor.typeText('s');
    editor.eraseCharacters(1);
  }
}

const listShownLines = (editor: FakeEditor, lines: readonly number[]): string[] =>
  lines.map((line) => {
    editor.moveCursorTo(line);
    return editor.visibleText;
  });

test('EditMemory stores only the latest lines where the user rejected an edit', () => {
  const maxLocations = editMemoryLimits.locations;
  const editor = createEditorWithEdit(
    ...Array.from({ length: maxLocations + 3 }, () => 'getUser(1);'),
  );
  const lineNumbers = Array.from({ length: maxLocations + 1 }, (_, index) => index + 1);
  rejectSuggestionsOn(editor, lineNumbers);
  expect(listShownLines(editor, [1, 2, maxLocations + 1, maxLocations + 2])).toEqual([
    'getUserById(1);',
    'getUser(1);',
    'getUser(1);',
    'getUserById(1);',
  ]);
});

test('EditMemory stores a line only once if the user repeats the edit on the line', () => {
  const editor = createEditorWithEdit();
  for (let round = 0; round <= editMemoryLimits.locations; round++) {
    editor.moveCursorTo(1, '(');
    editor.typeText('ById');
    editor.moveCursorTo(3);
    editor.moveCursorTo(1, '(');
    editor.eraseCharacters('ById'.length);
    editor.moveCursorTo(3);
  }
  editor.moveCursorTo(2);
  expect(editor.visibleText).toBe('c = getUserById(3);');
  editor.memory.applyUndo('file:///a.ts', 0);
  expect(editor.visibleText).toBe('c = getUser(3);');
});

const renamedLines = ['a = getUser(1) + getUser(2);', 'getUser(3);', '// See getUser.', ''];
const renameInCode = (line: string): string =>
  line.startsWith('//') ? line : line.replaceAll(/getUser\b/gu, 'getUserById');

test('EditMemory suggests a rename for the remaining old words, until the user reverts the rename', () => {
  const editor = new FakeEditor(...renamedLines);
  editor.moveCursorTo(0, 'User');
  editor.renameInLines(renameInCode);
  editor.moveCursorTo(2);
  expect(editor.visibleText).toBe('// See getUserById.');
  editor.moveCursorTo(0, 'User');
  editor.renameInLines((line) => line.replaceAll('getUserById', 'getUser'));
  editor.moveCursorTo(1);
  expect(editor.visibleText).toBe('getUser(3);');
});

test('EditMemory does not suggest a rename after an undo', () => {
  const editor = new FakeEditor(...renamedLines);
  editor.moveCursorTo(0, 'User');
  editor.renameInLines(renameInCode);
  editor.memory.applyUndo('file:///a.ts', 0);
  editor.moveCursorTo(2);
  expect(editor.visibleText).toBe('// See getUser.');
});

test.each<[string, (editor: FakeEditor) => void]>([
  ['with several cursors', ({ memory }) => memory.moveCursor(undefined)],
  ['on lines away from the cursor', (editor) => editor.moveCursorTo(3)],
])('EditMemory does not suggest a rename that is made %s', (_, change) => {
  const editor = new FakeEditor(...renamedLines);
  editor.moveCursorTo(0, 'User');
  change(editor);
  editor.renameInLines(renameInCode);
  editor.moveCursorTo(2);
  expect(editor.visibleText).toBe('// See getUser.');
});

test.each<[string, (line: string) => string]>([
  ['another word', (line) => line.replace('getUser(3)', 'getOther(3)')],
  ['text other than words', (line) => line.replaceAll('(', ' (')],
])('EditMemory does not suggest a rename if the change also replaces %s', (_, applyOtherChange) => {
  const editor = new FakeEditor(...renamedLines);
  editor.moveCursorTo(0, 'User');
  editor.renameInLines((line) => renameInCode(applyOtherChange(line)));
  editor.moveCursorTo(2);
  expect(editor.visibleText).toBe('// See getUser.');
});

test('EditMemory suggests the latest edit of a line, even if the user first made a rename on the line', () => {
  const editor = new FakeEditor(...renamedLines, 'getUserById(3);');
  editor.moveCursorTo(1, '(');
  editor.renameInLines(renameInCode);
  editor.moveCursorTo(1, '(');
  editor.typeText('Now');
  editor.moveCursorTo(4);
  expect(editor.visibleText).toBe('getUserByIdNow(3);');
});

test('EditMemory finds the edit on the line of the cursor, even if the user is still making the edit', () => {
  const editor = createEditorWithEdit();
  expect(editor.memory.findLastEdit()).toMatchObject({ line: 0, character: 4, useCount: 1 });
  editor.moveCursorTo(0);
  expect(editor.memory.findLastEdit()).toMatchObject({ line: 0, character: 4, useCount: 1 });
  editor.moveCursorTo(1);
  expect(editor.memory.findLastEdit()).toBeUndefined();
});

test('EditMemory does not find an edit after the edit has expired, after an undo, or with several cursors', async () => {
  const editor = createEditorWithEdit();
  editor.moveCursorTo(0);
  editor.memory.moveCursor(undefined);
  expect(editor.memory.findLastEdit()).toBeUndefined();
  editor.moveCursorTo(0);
  expect(editor.memory.findLastEdit()).toBeDefined();
  editor.memory.applyUndo('file:///a.ts', 0);
  expect(editor.memory.findLastEdit()).toBeUndefined();
  const expiredEditor = createEditorWithEdit();
  expiredEditor.moveCursorTo(0);
  await expiredEditor.clock.advance(editMemoryLimits.ms);
  expect(expiredEditor.memory.findLastEdit()).toBeUndefined();
});

test('EditMemory counts an expected repetition of an edit, and then finds the edit on the line of the repetition', () => {
  const editor = createEditorWithEdit();
  const edit = editor.memory.findLastEdit();
  if (!edit) throw new Error('There is no edit.');
  editor.moveCursorTo(2, 'getUser');
  const nextLocation = { line: 2, start: 4, end: 11, text: 'getUserById' };
  editor.memory.expectRepetition(edit, editor.cursor, nextLocation);
  editor.replaceText(7, 'getUserById');
  expect(editor.memory.findLastEdit()).toMatchObject({
    pattern: edit.pattern,
    line: 2,
    character: 4,
    useCount: 2,
  });
});
