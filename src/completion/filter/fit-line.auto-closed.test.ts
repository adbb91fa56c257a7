import { expect, test } from 'vitest';
import { fitToAutoClosed } from './fit-line.ts';

test.each([
  ['bar);', ')', { text: 'bar);', replaceLength: 1 }],
  ['a) {\n  b();\n}', ')', { text: 'a) {\n  b();\n}', replaceLength: 1 }],
  ['\n  b();\n}\nc();', '}', { text: '\n  b();\n}\nc();', replaceLength: 1 }],
  ['b: 1 })', '})', { text: 'b: 1 })', replaceLength: 2 }],
  ['Today</li>\n<li>Now</li>', '</li>', { text: 'Today</li>\n<li>Now</li>', replaceLength: 5 }],
  ['b();\n}', '\n}', { text: 'b();', replaceLength: 0 }],
  ['b();\n}\nc();', '\n}', { text: 'b();', replaceLength: 0 }],
  ['a">\n  b\n</ul>\nc', '"\n</ul>', { text: 'a">\n  b', replaceLength: 1 }],
  ['bar', ')', undefined],
  [') (', '()', undefined],
  ['b();', '\n}', undefined],
  ['\n}', '\n}', undefined],
  ['', ')', undefined],
])(
  'fitToAutoClosed fits the suggestion %j to the auto-closed text %j as %j',
  (text, autoClosedText, expected) =>
    expect(fitToAutoClosed(text, autoClosedText)).toEqual(expected),
);
