import * as vscode from 'vscode';
import type { Host } from '../../host.ts';
import { ServiceError } from '../../service/http/failure.ts';
import type { NativeToolName } from '../registration.ts';
import { DescribeImageTool } from './describe-image.ts';
import type { NativeTool } from './native-tool.ts';
import { SpeakTool } from './speak.ts';
import { ReadPageTool, SearchWebTool } from './web-tools.ts';
import { WorkspacePaths } from '../../workspace/vscode/paths.ts';

/**
 * Creates the tools that use features of the service, such as web search. Their names are those in the manifest without
 * the prefix `inferenceService_`.
 */
export function createNativeTools(host: Host): Readonly<Record<NativeToolName, NativeTool>> {
  const paths = new WorkspacePaths({
    folders: () => vscode.workspace.workspaceFolders ?? [],
    isTrusted: () => vscode.workspace.isTrusted,
    forbiddenFolders: [vscode.Uri.joinPath(host.context.globalStorageUri, '..')],
  });
  const wrapTool = (tool: NativeTool): NativeTool => withFailureReporting(tool, host);
  return {
    searchWeb: wrapTool(new SearchWebTool(host)),
    readPage: wrapTool(new ReadPageTool(host)),
    describeImage: wrapTool(new DescribeImageTool(host, paths)),
    speak: wrapTool(new SpeakTool(host, paths)),
  };
}

/**
 * Wraps a tool so that failed calls also update the connection status. Calls that the user stopped do not update it.
 */
const withFailureReporting = (tool: NativeTool, host: Pick<Host, 'account'>): NativeTool => ({
  plan: async (input) => {
    const call = await tool.plan(input);
    return {
      ...call,
      run: async (signal) => {
        const { account } = host;
        const { profile } = account;
        try {
          return await call.run(signal);
        } catch (error) {
          if (error instanceof ServiceError && error.failure.code !== 'stopped')
            account.reportOutcome(error.failure, profile);
          throw error;
        }
      },
    };
  },
});

/**
 * Maximum number of calls per web host after one confirmation. Limited, because many short addresses can leak as much
 * data as one long address.
 */
const maxCalls = 20;

/** Counts the calls per web host. After 20 calls to a host, the next call needs another confirmation. */
export class HostCallCounts {
  readonly #counts = new Map<string, number>();

  /**
   * Counts a call to a host.
   * @returns true if the call needs a confirmation, even if the user chose to always allow this host
   */
  countCall(host: string): boolean {
    const count = (this.#counts.get(host) ?? 0) + 1;
    this.#counts.set(host, count);
    return count > maxCalls;
  }

  /** Restarts the count of a host after the user has confirmed a call. */
  resetCount(host: string): void {
    this.#counts.delete(host);
  }
}
