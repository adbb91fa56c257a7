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
])('formats a comment in %s as %s', (languageId, comment) =>
  expect(commentDelimiters(languageId).join('a')).toBe(comment),
);
