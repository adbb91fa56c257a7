import type * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import type { Host } from '../host.ts';
import type { LazyChatImages } from '../image/image-generator.ts';
import { ChatProvider } from './chat-provider.ts';
import { Participant } from './participant/participant.ts';
import { createNativeTools } from './tools/native-tools.ts';
import { NativeLanguageModelTool } from './tools/language-model-tool.ts';
import type { NativeToolName } from './registration.ts';

/**
 * Implementation of the models, the tools and the chat participant in VS Code. Loaded on first use.
 */
export class NativeRuntime implements Disposable {
  readonly provider: ChatProvider;
  readonly tools: Readonly<Record<NativeToolName, NativeLanguageModelTool>>;
  readonly participant: Participant;

  constructor(host: Host, images: LazyChatImages, changeEmitter: vscode.EventEmitter<void>) {
    this.provider = new ChatProvider(host, () => changeEmitter.fire());
    const { searchWeb, readPage, describeImage, speak } = createNativeTools(host);
    this.tools = {
      searchWeb: new NativeLanguageModelTool(searchWeb, host),
      readPage: new NativeLanguageModelTool(readPage, host),
      describeImage: new NativeLanguageModelTool(describeImage, host),
      speak: new NativeLanguageModelTool(speak, host),
    };
    this.participant = new Participant(host, images, this.provider);
  }

  dispose(): void {
    this.provider.dispose();
  }
}
