import { expect, test } from 'vitest';
import { looksSecret } from './secret-file.ts';

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
