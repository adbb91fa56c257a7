import assert from 'node:assert/strict';
import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import * as tls from 'node:tls';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { Account } from '../../src/account/vscode/account.ts';
import { testConnectionAndShow } from '../../src/account/vscode/connection-test.ts';
import { createModelCatalog } from '../../src/models/vscode/model-catalog.ts';
import { reportIssue } from '../../src/models/vscode/diagnostics-commands.ts';
import { createTransportSource } from '../../src/platform/network.ts';
import { getSetting } from '../../src/platform/settings.ts';
import { listModels } from '../../src/service/models.ts';
import type { Transport } from '../../src/service/http/client.ts';
import { Control } from '../service/control.ts';
import { type SelfSignedCertificate, createSelfSignedCertificate } from '../support/certificate.ts';
import { startStrictDeployment } from '../support/deployment-context.ts';
import { startHttpServer, listenOnLoopback, type LoopbackServer } from '../support/loopback.ts';
import { createAccountFixture, Dialogs, createLineLog, withSettings } from './account-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const serviceHost = new URL(service.baseUrl).host;
const { signal } = new AbortController();
const hostName = 'api.service.test';

interface IssueOptions {
  readonly extensionId: string;
  readonly issueBody: string;
}

/** Runs "Report Issue". Returns the id and the options of the VS Code command that it executes. */
async function readIssueReport(): Promise<[string, IssueOptions | undefined]> {
  using fixture = createAccountFixture();
  await fixture.account.storeKey(fixture.account.profile, service.apiKey);
  await fixture.account.readKey();
  const extension = vscode.extensions.getExtension('inference-service.inference-service');
  assert.ok(extension);
  const context = Object.assign(fixture.context, { extension });
  const { account, log } = fixture;
  const models = createModelCatalog({ context, account, log });
  const originalExecute = vscode.commands.executeCommand;
  const openedIssue = Promise.withResolvers<[string, IssueOptions | undefined]>();
  Object.assign(vscode.commands, {
    executeCommand: async (command: string, options?: IssueOptions) =>
      openedIssue.resolve([command, options]),
  });
  try {
    await reportIssue({ account, models, context });
    return await openedIssue.promise;
  } finally {
    Object.assign(vscode.commands, { executeCommand: originalExecute });
  }
}

suite('the connection', () => {
  const cases: readonly [string, ConnectionCase, RegExp][] = [
    ['the connection works', {}, new RegExp(`^Connected to ${serviceHost}[.,]`)],
    [
      'no address is set',
      { baseUrl: '' },
      /^No address of the service is set\. Enter the base address/,
    ],
    ['the address is not safe', { baseUrl: 'http://api.service.test/api/v1' }, /https:/],
    ['the address is wrong', { path: '/somewhere/v1' }, /^No service found at .*\/somewhere\/v1/],
    ['no key is set', { key: undefined }, new RegExp(`^No API key is set for ${serviceHost}\\.$`)],
    ['the key is wrong', { key: 'SERVICE_INFERENCE_KEY_wrong' }, /does not accept the API key/],
    [
      'the network is down',
      { baseUrl: 'http://127.0.0.1:9/api/v1' },
      /^Couldn’t reach 127\.0\.0\.1:9\./,
    ],
  ];
  for (const [name, options, messagePattern] of cases) {
    test(`reports that ${name}`, async () => {
      const { key, baseUrl, path } = { key: service.apiKey, ...options };
      const testedUrl = baseUrl ?? (path ? new URL(path, service.baseUrl).href : service.baseUrl);
      await withSettings({ 'inferenceService.baseUrl': testedUrl }, async () => {
        assert.match(await readTestMessage(key), messagePattern);
      });
    });
  }

  test('copies diagnostics without the key, and opens the issue reporter with them', async () => {
    await vscode.env.clipboard.writeText('before');
    await vscode.commands.executeCommand('inferenceService.copyDiagnostics');
    const copiedText = await vscode.env.clipboard.readText();
    assert.match(copiedText, new RegExp(`^- VS Code: ${RegExp.escape(vscode.version)}$`, 'm'));
    assert.match(copiedText, /^- address: /m);
    assert.ok(!copiedText.includes(service.apiKey));
    assert.ok((await vscode.commands.getCommands()).includes('workbench.action.openIssueReporter'));
    await vscode.commands.executeCommand('inferenceService.reportIssue');
    const [command, options] = await readIssueReport();
    assert.equal(command, 'workbench.action.openIssueReporter');
    assert.match(options?.extensionId ?? '', /\.inference-service$/);
    assert.match(options?.issueBody ?? '', /^- VS Code: /m);
    assert.ok(!options?.issueBody.includes(service.apiKey));
  });

  test('shows the vendor prefix of the service’s own field names', async () => {
    await using server = await startStrictDeployment({ word: 'zephyr', shape: 'full' });
    const { baseUrl, keys } = server.deployment;
    await withSettings({ 'inferenceService.baseUrl': baseUrl }, async () => {
      const message = await readTestMessage(keys.inference);
      assert.match(message, /^Connected to .* Its own fields begin with “zephyr”\.$/);
    });
  });

  test('reports a configured vendor prefix that cannot start a field name', async () => {
    const settings = {
      'inferenceService.profiles': { work: { baseUrl: service.baseUrl, vendorWord: 'a-b' } },
      'inferenceService.profile': 'work',
    };
    await withSettings(settings, async () => {
      const message = await readTestMessage(service.apiKey);
      assert.match(
        message,
        /The setting inferenceService\.profiles\.work\.vendorWord cannot be used: it must /,
      );
    });
  });

  test('reports that the balance is used up', async () => {
    const balances = { USD: 0, DIEM: 0 };
    const body = { data: { accessPermitted: false, balances, rateLimits: [] } };
    await control.injectFault({
      match: { path: '/rate_limits' },
      fault: { kind: 'status', status: 200, body },
    });
    assert.match(
      await readTestMessage(service.apiKey),
      /^Connected to .*, but there is nothing left to spend/,
    );
  });

  test('does not follow redirects', async () => {
    await using sinkServer = await startHttpServer((_request, response) => response.end('{}'));
    const redirectUrl = `http://127.0.0.1:${sinkServer.port}/api/v1`;
    await control.injectFault({
      match: { path: '/rate_limits' },
      fault: { kind: 'redirect', to: redirectUrl },
    });
    assert.match(await readTestMessage(service.apiKey), /sign-in page of the network/);
    assert.equal(sinkServer.countConnections(), 0);
  });

  test('uses the proxy in `http.proxy`, and requires a trusted certificate from the service', async () => {
    const certificate = createSelfSignedCertificate(hostName);
    await using targetServer = await startSecureService(certificate);
    await using proxyServer = await startProxy(targetServer);
    await withSettings(createProxySettings(proxyServer, targetServer), async () => {
      assert.match(
        await readTestMessage('SERVICE_KEY_secure'),
        /certificate is not trusted.*http\.systemCertificates/s,
      );
      using _ = trustCertificate(certificate);
      assert.match(await readTestMessage('SERVICE_KEY_secure'), /^Connected to api\.service\.test/);
      assert.ok(proxyServer.countConnections() >= 2);
    });
  });

  test('accepts any certificate when `http.proxyStrictSSL` is off', async () => {
    await using target = await startSecureService(createSelfSignedCertificate(hostName));
    await using proxy = await startProxy(target);
    const settings = { ...createProxySettings(proxy, target), 'http.proxyStrictSSL': false };
    await withSettings(settings, async () => {
      assert.match(await readTestMessage('SERVICE_KEY_secure'), /^Connected/);
    });
  });

  test('bypasses the proxy for hosts in `http.noProxy`', async () => {
    await using target = await startSecureService(createSelfSignedCertificate(hostName));
    await using proxy = await startProxy(target);
    // Set first and removed last, because the installed extension applies each change immediately.
    const settings = { 'http.noProxy': [hostName], ...createProxySettings(proxy, target) };
    await withSettings(settings, async () => {
      using fixture = createAccountFixture();
      await assert.rejects(listModels(fixture.account.service, { signal }));
    });
    assert.equal(proxy.countConnections(), 0);
  });

  test('reports a proxy that requires credentials', async () => {
    await using target = await startSecureService(createSelfSignedCertificate(hostName));
    await using proxy = await startProxy(target, 'Basic c2VjcmV0');
    const settings = createProxySettings(proxy, target);
    await withSettings(settings, async () => {
      assert.match(
        await readTestMessage('SERVICE_KEY_secure'),
        /proxy asks for credentials .*http\.proxy/s,
      );
    });
    const allowedSettings = {
      ...settings,
      'http.proxyAuthorization': 'Basic c2VjcmV0',
      'http.proxyStrictSSL': false,
    };
    await withSettings(allowedSettings, async () => {
      assert.match(await readTestMessage('SERVICE_KEY_secure'), /^Connected/);
    });
  });

  test('sends requests through VS Code’s fetch with the editor transport', async () => {
    const calls: string[] = [];
    const originalFetch = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      calls.push(new Request(input).url);
      return originalFetch(input, init);
    };
    try {
      await withSettings({ 'inferenceService.network.transport': 'editor' }, async () => {
        assert.match(await readTestMessage(service.apiKey), /^Connected/);
      });
    } finally {
      globalThis.fetch = originalFetch;
    }
    assert.deepEqual(
      calls.filter((url) => url.endsWith('/rate_limits')),
      [`${service.baseUrl}/api_keys/rate_limits`],
    );
  });

  test('suggests the editor transport if only this transport works', async () => {
    const originalFetch = globalThis.fetch;
    // Simulates a network whose proxy script only VS Code can run.
    globalThis.fetch = async () =>
      Response.json({ data: { balances: { USD: 1 }, rateLimits: [] } });
    try {
      const settings = {
        'inferenceService.baseUrl': 'https://api.service.test:9/api/v1',
        'http.proxy': 'http://127.0.0.1:9',
        'inferenceService.network.transport': 'direct',
      };
      await withSettings(settings, async () => {
        using fixture = await createAccount('SERVICE_KEY_inside');
        using dialogs = new Dialogs();
        dialogs.buttonsToPress.push('Use the editor’s network');
        await testConnectionAndShow(fixture.account);
        assert.equal(dialogs.shownMessages.length, 1);
        assert.equal(getSetting('inferenceService.network.transport'), 'editor');
        await testConnectionAndShow(fixture.account);
        assert.match(dialogs.shownMessages[1] ?? '', /^Connected.* Balance \$1$/);
      });
    } finally {
      globalThis.fetch = originalFetch;
    }
  });

  test('opens the transport again after a failed attempt, and only logs a failure to close the transport', async () => {
    const lines: string[] = [];
    const log = createLineLog((line) => lines.push(line));
    let openCount = 0;
    const transports = createTransportSource(log, async () => {
      if (++openCount === 1) throw new Error('not yet');
      return { ...unusedTransport, close: () => Promise.reject(new Error('stuck')) };
    });
    await assert.rejects(transports.getTransport(), /not yet/);
    assert.equal(await transports.getTransport(), await transports.getTransport());
    assert.equal(openCount, 2);
    transports.dispose();
    await new Promise((resolve) => setImmediate(resolve));
    assert.match(lines.join(), /stuck/);
  });

  test('applies changed network settings, and resets the circuit breakers', async () => {
    using fixture = await createAccount(service.apiKey);
    const { account } = fixture;
    account.reportOutcome({ code: 'proxy', message: 'The proxy said no.' }, account.profile);
    assert.equal(account.view.status, 'needs-attention');
    const firstTransport = await account.transports.getTransport();
    assert.equal(await account.transports.getTransport(), firstTransport);
    await withSettings({ 'http.noProxy': ['other.test'] }, async () => {
      assert.equal(account.view.status, 'signed-in');
      assert.notEqual(await account.transports.getTransport(), firstTransport);
    });
  });
});

const unusedTransport: Transport = {
  send: () => Promise.reject(new Error('not used')),
  close: () => Promise.resolve(),
};

interface ConnectionCase {
  readonly baseUrl?: string;
  readonly path?: string;
  readonly key?: string | undefined;
}

async function createAccount(
  key: string | undefined,
): Promise<Disposable & { readonly account: Account }> {
  const fixture = createAccountFixture();
  const { account } = fixture;
  // For some addresses of the tests, the account rejects the key.
  if (key !== undefined) await account.storeKey(account.profile, key).catch(() => {});
  await account.readKey();
  return fixture;
}

/** Runs "Test Connection" and returns the message that it shows. */
async function readTestMessage(key: string | undefined): Promise<string> {
  using fixture = await createAccount(key);
  using dialogs = new Dialogs();
  await testConnectionAndShow(fixture.account);
  assert.equal(dialogs.shownMessages.length, 1);
  return dialogs.shownMessages[0] ?? '';
}

const createProxySettings = (
  proxy: LoopbackServer,
  target: LoopbackServer,
): Record<string, unknown> => ({
  'inferenceService.baseUrl': `https://${hostName}:${target.port}/api/v1`,
  'http.proxy': `http://127.0.0.1:${proxy.port}`,
});

const startSecureService = (certificate: SelfSignedCertificate): Promise<LoopbackServer> =>
  listenOnLoopback(
    https.createServer(certificate, (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"data":{"accessPermitted":true,"balances":{"USD":2},"rateLimits":[]}}');
    }),
  );

/** Starts a proxy that forwards connections for every host name to the same local port. */
function startProxy(target: LoopbackServer, authorization?: string): Promise<LoopbackServer> {
  const proxy = http.createServer();
  proxy.on('connect', (request: http.IncomingMessage, client: net.Socket) => {
    client.on('error', () => {});
    if (request.headers['proxy-authorization'] !== authorization) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const upstreamSocket = net.connect(target.port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(upstreamSocket).pipe(client);
    });
    upstreamSocket.on('error', () => client.destroy());
    client.on('close', () => upstreamSocket.destroy());
  });
  return listenOnLoopback(proxy);
}

/** Adds the certificate to the trusted certificates of this process until disposal. */
function trustCertificate({ cert }: SelfSignedCertificate): Disposable {
  const originalCertificates = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...originalCertificates, cert]);
  return { [Symbol.dispose]: () => tls.setDefaultCACertificates(originalCertificates) };
}
