import * as vscode from 'vscode';
import { connect, listLocalServers } from '../../account/vscode/connect.ts';
import { retentionWarning } from '../../account/vscode/key-commands.ts';
import type { Host } from '../../host.ts';
import type { HostMessage } from '../protocol/host-message.ts';
import type { PageHandlers } from './open-chat.ts';

interface ConnectContext {
  readonly host: Host;
  readonly post: (message: HostMessage) => void;
}

/** Returns the handlers of the connect form. A new request ends the previous one. */
export function connectHandlers({
  host,
  post,
}: ConnectContext): PageHandlers<'connect-submit' | 'local-servers-request'> {
  const { account, models } = host;
  let current = new AbortController();
  return {
    'connect-submit': async ({ type: _type, ...request }) => {
      current.abort();
      current = new AbortController();
      const { signal } = current;
      const result = await connect(account, request, signal);
      if (signal.aborted) return undefined;
      post({ type: 'connect-result', ...result });
      if (result.problem !== null) return undefined;
      if (request.method === 'wallet') {
        await vscode.commands.executeCommand('inferenceService.mintKey');
        return undefined;
      }
      await models.refresh();
      return retentionWarning(account);
    },
    'local-servers-request': async () => {
      // The page requests them only while it shows the form.
      if (!vscode.workspace.isTrusted || account.view.status !== 'signed-out') return;
      post({ type: 'local-servers', servers: [...(await listLocalServers(account))] });
    },
  };
}
