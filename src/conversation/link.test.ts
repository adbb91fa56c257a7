import { expect, test } from 'vitest';
import { checkLink } from './link.ts';

test.each(['https://docs.example/a?b=c#d', 'http://docs.example:8080/'])(
  'checkLink permits the URL %s',
  (href) => {
    expect(checkLink(href)).toMatchObject({ kind: 'open', url: href });
  },
);

test.each([
  'command:workbench.action.terminal.new',
  'vscode://publisher.extension/x',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,<script>',
  '\\\\evil\\share',
  'https:\\\\evil.example',
  'https://service.example@evil.example/',
  'https://user:secret@evil.example/',
  'https://',
  '/relative',
  'mailto:a@b.example',
  'https://a.example/\u0000',
  ' https://a.example',
  'https://a.example/ b',
  'ms-msdt:/id',
  'blob:https://a.example/1',
  '',
])('checkLink rejects the URL %j', (href) => {
  expect(checkLink(href)).toEqual({ kind: 'refuse' });
});
