import * as vscode from 'vscode';
import { WorkspacePaths } from '../../workspace/vscode/paths.ts';
import type { Host } from '../../host.ts';
import { DescribeImageTool } from './describe-image.ts';
import type { NativeTool } from './native-tool.ts';
import { ReadPageTool } from './read-page.ts';
import { SearchWebTool } from './web-tools.ts';
import { SpeakTool } from './speak.ts';
import type { NativeToolName } from '../registration.ts';

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
