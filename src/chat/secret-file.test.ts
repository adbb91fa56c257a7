import fc from 'fast-check';
import { expect, test } from 'vitest';
import { looksSecret, secretNameGlobs, secretNames, secretPlaces } from './secret-file.ts';

test.each([
  '/w/.env',
  '/w/.env.local',
  '/home/a/.ssh/config',
  '/w/id_rsa',
  '/w/cert.PEM',
  '/w/a.key',
  '/w/.npmrc',
  '/w/.git/config',
  '/home/a/.aws/credentials',
  '/home/a/.kube/config',
  '/w/UTC--2026-01-01T00-00-00.0Z--00000000000000000000000000000000000000aa',
  '/w/secrets.yaml',
  '/w/.envrc',
  '/w/.env~',
  '/w/prod.env',
  '/w/id_rsa_work',
  '/w/id_ed25519_sk',
  '/home/a/_netrc',
  '/home/a/.pgpass',
  '/home/a/.docker/config.json',
  '/w/infra/live.tfvars',
  '/w/service-account-prod.json',
  '/w/office.ovpn',
  '/w/passwords.kdbx',
  '/home/a/.bash_history',
  '/home/a/.config/gcloud/access_tokens.db',
  '/home/a/.azure/msal_token_cache.json',
  '/home/a/.cargo/credentials.toml',
  '/home/a/.my.cnf',
  '/w/site/.htpasswd',
  '/w/local.settings.json',
  '/w/config/master.key',
])('%s', (path) => {
  expect(looksSecret(path)).toBe(true);
});

test.each([
  '/w/src/app.ts',
  '/w/environment.ts',
  '/w/keyboard.ts',
  '/w/docs/ssh.md',
  '/w/identity.ts',
  '/w/tokens.css',
  '/w/src/history.ts',
  '/w/.config/app.json',
])('not %s', (path) => {
  expect(looksSecret(path)).toBe(false);
});

test.each([...secretNames, ...secretPlaces])(
  'every name of $pattern fits a glob of its own',
  (kind) => {
    const isPlace = secretPlaces.includes(kind);
    const matching = fc
      .stringMatching(new RegExp(kind.pattern.source, 'u'))
      // A name holds no slash.
      .map((path) => (isPlace ? path : path.replaceAll('/', '_')));
    fc.assert(
      fc.property(matching, (path) => {
        const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
        expect(kind.globs.some((glob) => fits(glob, name))).toBe(true);
      }),
    );
    for (const glob of kind.globs) expect(secretNameGlobs).toContain(glob);
  },
);

/** Of globs with `*` and `[._]` alone. */
const fits = (glob: string, name: string): boolean =>
  new RegExp(
    `^${glob.replaceAll(/\[\._\]|[.*]/gu, (sign) => ({ '.': '\\.', '*': '[^]*' })[sign] ?? sign)}$`,
    'u',
  ).test(name);
