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
    ['  Wallet\n', 'Wallet'],
    ['\u202eWallet\u2066', 'Wallet'],
    ['W\u200ballet\u{e0041}', 'Wallet'],
    ['x'.repeat(100_000), 'x'.repeat(40)],
    ['🙂'.repeat(50), '🙂'.repeat(40)],
    [42, ''],
    [undefined, ''],
  ])('with the name %j is listed as %j', (name, expectedName) => {
    expect(
      readAnnouncedWallet(
        createAnnouncement({ info: { ...providerInfo, name }, provider: fakeProvider }),
      )?.name,
    ).toBe(expectedName);
  });

  test.each([
    'https://example.com/icon.png',
    'javascript:alert(1)',
    'data:text/html,<script>',
    'data:image/svg,<svg>',
    'data:image/gif;base64,R0lGOD',
    ' data:image/png;base64,iVBORw0KGgo=',
    'DATA:image/png;base64,iVBORw0KGgo=',
    `data:image/png;base64,${'A'.repeat(131_073)}`,
    null,
  ])('is listed without the icon %j', (icon) => {
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
