import { expect, test } from 'vitest';
import { getCommentDelimiters } from './build-request.ts';

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
])(
  'getCommentDelimiters, given the language %s, returns the delimiters of the comment %s',
  (languageId, comment) => expect(getCommentDelimiters(languageId).join('a')).toBe(comment),
);
