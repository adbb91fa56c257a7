import { expect, test } from 'vitest';
import { commentDelimiters } from './build-request.ts';

test.each([
  ['typescript', '// a'],
  ['unheard-of', '// a'],
  ['python', '# a'],
  ['dockerfile', '# a'],
  ['sql', '-- a'],
  ['bat', 'REM a'],
  ['html', '<!-- a -->'],
  ['css', '/* a */'],
  ['markdown', '<!-- a -->'],
])('a comment in %s is written as %s', (languageId, comment) =>
  expect(commentDelimiters(languageId).join('a')).toBe(comment),
);
