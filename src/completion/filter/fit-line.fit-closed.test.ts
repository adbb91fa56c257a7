import { expect, test } from 'vitest';
import { fitClosed } from './fit-line.ts';

test.each([
  ['bar);', ')', { text: 'bar);', replaces: 1 }],
  ['a) {\n  b();\n}', ')', { text: 'a) {\n  b();\n}', replaces: 1 }],
  ['\n  b();\n}\nc();', '}', { text: '\n  b();\n}\nc();', replaces: 1 }],
  ['b: 1 })', '})', { text: 'b: 1 })', replaces: 2 }],
  ['Today</li>\n<li>Now</li>', '</li>', { text: 'Today</li>\n<li>Now</li>', replaces: 5 }],
  ['b();\n}', '\n}', { text: 'b();', replaces: 0 }],
  ['b();\n}\nc();', '\n}', { text: 'b();', replaces: 0 }],
  ['bar', ')', undefined],
  [') (', '()', undefined],
  ['b();', '\n}', undefined],
  ['\n}', '\n}', undefined],
  ['', ')', undefined],
])('%j before %j', (text, closed, fit) => expect(fitClosed(text, closed)).toEqual(fit));
