import { expect, test } from 'vitest';
import { findElision } from './apply-hunks.ts';

test.each([
  '// ... existing code ...',
  '  // ...existing code...',
  '// ... rest of the code ...',
  '// rest of the function remains the same',
  '// Rest of the file unchanged',
  '// existing code here',
  '// ... (unchanged)',
  '// ...',
  '# ...',
  '# ... rest of the class',
  '# (rest of the code remains unchanged)',
  '/* ... existing styles ... */',
  '/* … */',
  '{/* ... existing components ... */}',
  '<!-- ... existing content ... -->',
  '<!-- rest of the file -->',
  '-- ... other columns ...',
  '; ... same as before ...',
  '    # keep existing code',
  '[... existing code ...]',
  '... existing code ...',
  '""" ... existing code ... """',
])('findElision detects the placeholder %s', (line) => {
  expect(findElision('a\nb', `a\n${line}\nb`)).toBe(line);
});

test.each([
  '...',
  '  ...',
  '# Waits for more...',
  '// The rest is generated',
  '// Loading…',
  '// TODO: remove the existing code path once nobody calls it',
  'const all = [...existing, ...rest];',
  '  ...rest,',
  'function f(...args) {',
  "console.log('... existing code ...');",
  '* one, two, three ...',
  '## Existing users',
  '// unchanged since 2019, see the archive',
  '',
])('findElision accepts the line %j as code', (line) => {
  expect(findElision('a\nb', `a\n${line}\nb`)).toBeUndefined();
});

test('findElision accepts a placeholder that the search contains', () => {
  expect(findElision('// ...\na', '  // ...\nb')).toBeUndefined();
});
