/**
 * Runs the extension in VS Code until Ctrl+C: `npm start`. VS Code opens a sample workspace and the chat, and is signed
 * in to a local service. `npm start -- --chain` also starts a local chain, and adds the settings for this chain.
 */
import { join } from 'node:path';
import { buildExtension } from '../build-extension.ts';
import { runService, createSignedInValues } from '../local-service.ts';
import { artefactsFolder, root } from '../paths.ts';
import { ProcessTree } from '../process.ts';
import { copySampleWorkspace } from '../sample.ts';
import { openDesktop } from '../vscode/desktop-window.ts';
import { chooseHost, findInstalledEditor } from '../vscode/host-kind.ts';
import { startServer } from '../vscode/server.ts';

await using stack = new AsyncDisposableStack();
buildExtension();
stack.use(
  new ProcessTree({
    command: process.execPath,
    args: ['esbuild.mjs', '--watch'],
    cwd: root,
    logFile: join(artefactsFolder, 'logs', 'start-build.log'),
  }),
);
const service = stack.use(
  await runService('start', { needsChain: process.argv.includes('--chain') }),
);
const { folder } = stack.use(await copySampleWorkspace());
const signedInValues = createSignedInValues(service);
console.log(`Local service: ${service.baseUrl}\nIts API key: ${service.apiKey}`);
if (service.chain) {
  const { rpcUrl, chainId, accounts } = service.chain;
  console.log(
    `Its chain: ${rpcUrl} (${chainId})\nAn account with tokens: ${accounts[1]?.privateKey}`,
  );
}

const chatOpenerPath = join(import.meta.dirname, '..', 'start-extension');
const editorPath = findInstalledEditor();
if (editorPath || (await chooseHost()) === 'desktop') {
  stack.use(
    await openDesktop({
      editorPath,
      folder,
      companionExtension: chatOpenerPath,
      ...signedInValues,
    }),
  );
  console.log('VS Code opens on the sample workspace.');
} else {
  const extension = { kind: 'link', path: root } as const;
  const companionExtensions = [chatOpenerPath];
  const server = stack.use(
    await startServer({ name: 'start', extension, companionExtensions, ...signedInValues }),
  );
  console.log(`Open VS Code in a browser:\n\n  ${server.createUrl({ folder })}\n`);
}
console.log(
  'The extension is rebuilt when its sources change: run "Developer: Reload Window" to see it.',
);
console.log('Ctrl+C ends everything.');
// Until this call, a signal ends this process immediately, and the bootstrap ends the child processes.
const { promise: stopRequested, resolve: stop } = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop());
await stopRequested;
console.log('\nStopping…');
