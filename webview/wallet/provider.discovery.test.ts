import { describe, expect, test } from 'vitest';
import { readAnnouncedWallet } from './provider.ts';

const fakeProvider = { request: async () => null };
const pngDataUrl = 'data:image/png;base64,iVBORw0KGgo=';
const providerInfo = { uuid: 'a-1', name: 'Wallet', icon: pngDataUrl, rdns: 'example.wallet' };
const createAnnouncement = (detail: unknown): Event =>
  new CustomEvent('eip6963:announceProvider', { detail });

describe('an announced wallet', () => {
  test('has a name, an icon and a provider', () => {
    expect(
      readAnnouncedWallet(createAnnouncement({ info: providerInfo, provider: fakeProvider })),
    ).toEqual({
      id: 'a-1',
      name: 'Wallet',
      icon: pngDataUrl,
      provider: fakeProvider,
    });
  });

  test.each([
    ['no detail', undefined],
    ['no info', { provider: fakeProvider }],
    ['no provider', { info: providerInfo }],
    ['a provider without a request method', { info: providerInfo, provider: {} }],
    ['no ID', { info: { ...providerInfo, uuid: undefined }, provider: fakeProvider }],
    [
      'an ID that contains markup',
      { info: { ...providerInfo, uuid: '<a>' }, provider: fakeProvider },
    ],
    [
      'an ID that is too long',
      { info: { ...providerInfo, uuid: 'a'.repeat(65) }, provider: fakeProvider },
    ],
    [
      'a throwing getter',
      {
        get info(): unknown {
          throw new Error('trap');
        },
        provider: fakeProvider,
      },
    ],
  ])('is ignored if its announcement has %s', (_, detail) => {
    expect(readAnnouncedWallet(createAnnouncement(detail))).toBeUndefined();
  });

  test.each([
    ['without the white space around its name', '  Wallet\n', 'Wallet'],
    ['without the bidirectional characters in its name', '\u202eWallet\u2066', 'Wallet'],
    ['without the invisible characters in its name', 'W\u200ballet\u{e0041}', 'Wallet'],
    ['with the first 40 letters of a long name', 'x'.repeat(100_000), 'x'.repeat(40)],
    ['with the first 40 emoji of a long name', '🙂'.repeat(50), '🙂'.repeat(40)],
    ['without a name if its name is a number', 42, ''],
    ['without a name if it announces none', undefined, ''],
  ])('is listed %s', (_, name, expectedName) => {
    expect(
      readAnnouncedWallet(
        createAnnouncement({ info: { ...providerInfo, name }, provider: fakeProvider }),
      )?.name,
    ).toBe(expectedName);
  });

  test.each([
    ['a web address', 'https://example.com/icon.png'],
    ['a JavaScript URL', 'javascript:alert(1)'],
    ['an HTML page', 'data:text/html,<script>'],
    ['an image of the unknown type `svg`', 'data:image/svg,<svg>'],
    ['a GIF image', 'data:image/gif;base64,R0lGOD'],
    ['a data URL after a space', ' data:image/png;base64,iVBORw0KGgo='],
    ['a data URL with an uppercase scheme', 'DATA:image/png;base64,iVBORw0KGgo='],
    ['a data URL that is too long', `data:image/png;base64,${'A'.repeat(131_073)}`],
    ['null', null],
  ])('is listed without its icon if the icon is %s', (_, icon) => {
    const wallet = readAnnouncedWallet(
      createAnnouncement({ info: { ...providerInfo, icon }, provider: fakeProvider }),
    );
    expect(wallet).toBeDefined();
    expect(wallet?.icon).toBeUndefined();
  });

  test.each(['image/png;base64', 'image/jpeg;base64', 'image/webp;base64', 'image/svg+xml'])(
    'keeps an icon of type %s',
    (type) => {
      const icon = `data:${type},AAAA`;
      expect(
        readAnnouncedWallet(
          createAnnouncement({ info: { ...providerInfo, icon }, provider: fakeProvider }),
        )?.icon,
      ).toBe(icon);
    },
  );
});
