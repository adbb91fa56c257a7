import * as vscode from 'vscode';
import type { Host } from '../../host.ts';
import type { NativeToolName } from '../registration.ts';
import { DescribeImageTool } from './describe-image.ts';
import type { NativeTool } from './native-tool.ts';
import { SpeakTool } from './speak.ts';
import { ReadPageTool, SearchWebTool } from './web-tools.ts';
import { WorkspacePaths } from '../../workspace/vscode/paths.ts';

/** What of the service models can ask for, by the names of the manifest without their prefix. */
export function createNativeTools(host: Host): Readonly<Record<NativeToolName, NativeTool>> {
  const paths = new WorkspacePaths({
    folders: () => vscode.workspace.workspaceFolders ?? [],
    isTrusted: () => vscode.workspace.isTrusted,
    closed: [vscode.Uri.joinPath(host.context.globalStorageUri, '..')],
  });
  return {
    searchWeb: new SearchWebTool(host),
    readPage: new ReadPageTool(host),
    describeImage: new DescribeImageTool(host, paths),
    speak: new SpeakTool(host, paths),
  };
}

/** Short addresses that are many can carry as much away as a long one. */
const maxCalls = 20;

/** Counts calls that tell a host of the web something. What a person allowed of a host covers twenty, then they are asked anew. */
export class HostCallCounts {
  readonly #counts = new Map<string, number>();

  /** Counts a call. @returns whether the person is to be asked about it, whatever they allowed before */
  countCall(host: string): boolean {
    const count = (this.#counts.get(host) ?? 0) + 1;
    this.#counts.set(host, count);
    return count > maxCalls;
  }

  /** The person agreed to go on with the host. */
  reset(host: string): void {
    this.#counts.delete(host);
  }
}
