import type { Lazy } from './base/lazy.ts';
import type { ChatRuntime } from './chat/vscode/chat-runtime.ts';
import type { InlineSuggestions } from './completion/vscode/inline-suggestions.ts';
import type { EditorRuntime } from './editor/vscode/editor-runtime.ts';
import type { Host } from './host.ts';
import type { ImageRuntime } from './image/vscode/image-runtime.ts';
import type { CommandTable } from './platform/commands.ts';

/** Objects of the extension that command handlers use. */
export interface CommandContext {
  readonly host: Host;
  readonly images: Lazy<ImageRuntime>;
  readonly suggestions: InlineSuggestions;
  readonly chat: Lazy<ChatRuntime>;
  readonly editor: Lazy<EditorRuntime>;
}

const signedInCondition = 'inferenceService.signedIn';
// A notebook does not set the context keys of the text editor in its active cell.
const notebookCondition = `activeEditor == workbench.editor.notebook && ${signedInCondition} && isWorkspaceTrusted`;
const codeCondition = `editorLangId && ${signedInCondition} && isWorkspaceTrusted || ${notebookCondition}`;
const editableCodeCondition = `editorLangId && !editorReadonly && ${signedInCondition} && isWorkspaceTrusted || ${notebookCondition}`;
const chatTabCondition = 'activeWebviewPanelId == inferenceService.chatEditor';
const imageCondition = String.raw`resourceExtname =~ /^\.(?:png|jpe?g|webp)$/i`;
const suggestionsEnabledCondition = 'inferenceService.completion.isOn';

/**
 * Table of the manifest's commands with their `when` clauses and handlers. The table is loaded when a command first
 * runs; each handler then loads its own module.
 */
export const commands: CommandTable<CommandContext> = {
  'inferenceService.focusChat': { run: async ({ chat }) => (await chat.get()).focusChat() },
  'inferenceService.newChat': { run: async ({ chat }) => (await chat.get()).openNewChat() },
  'inferenceService.openChatInEditor': {
    when: 'false',
    run: async ({ chat }) => (await chat.get()).openInEditor(),
  },
  'inferenceService.showHistory': { run: async ({ chat }) => (await chat.get()).showHistory() },
  'inferenceService.renameChat': {
    when: chatTabCondition,
    run: async ({ chat }) => (await chat.get()).renameChat(),
  },
  'inferenceService.deleteChat': {
    when: chatTabCondition,
    run: async ({ chat }) => (await chat.get()).deleteChat(),
  },
  'inferenceService.deleteAllChats': {
    when: 'false',
    run: async ({ chat }) => (await chat.get()).deleteAll(),
  },
  'inferenceService.removeStoredData': {
    run: async ({ host, chat }) => {
      const { removeStoredData } = await import('./platform/remove-stored-data.ts');
      const hints = await import('./wallet/vscode/unfinished-hints.ts');
      const unfinishedStakes = await hints.listUnfinishedAddresses(hints.getStakingFolder(host));
      await removeStoredData(
        host.context,
        async () => (await chat.get()).close(),
        unfinishedStakes,
      );
    },
  },
  'inferenceService.exportChat': {
    when: chatTabCondition,
    run: async ({ chat }) => (await chat.get()).exportChat(),
  },
  'inferenceService.findInChat': {
    when: chatTabCondition,
    run: async ({ chat }) => (await chat.get()).findInChat(),
  },
  'inferenceService.stopAnswer': {
    when: 'false',
    run: async ({ chat }) => (await chat.get()).stopAnswer(),
  },
  'inferenceService.toggleMode': {
    when: 'false',
    run: async ({ chat }) => (await chat.get()).toggleMode(),
  },
  'inferenceService.configureTools': {
    when: signedInCondition,
    run: async ({ chat }) => (await getAgent(chat)).configureTools(),
  },
  'inferenceService.undoTurn': {
    when: 'false',
    run: async ({ chat }) => (await chat.get()).undoTurn(),
  },
  'inferenceService.askAboutSelection': {
    when: 'editorHasSelection',
    run: async ({ chat }) => (await chat.get()).attachFromEditor('selection'),
  },
  'inferenceService.attachSelection': {
    when: 'false',
    run: async ({ chat }) => (await chat.get()).attachFromEditor('selection'),
  },
  'inferenceService.attachProblems': {
    when: 'false',
    run: async ({ chat }) => (await chat.get()).attachFromEditor('problems'),
  },
  'inferenceService.attachFile': {
    when: 'editorIsOpen',
    run: async ({ chat }, ...clickedItems) => (await chat.get()).attachFiles(...clickedItems),
  },
  'inferenceService.attachTerminal': {
    when: 'false',
    run: async ({ chat }, clickedTerminal) => (await chat.get()).attachTerminal(clickedTerminal),
  },
  'inferenceService.explain': {
    when: codeCondition,
    run: async ({ chat }, ...args) => (await chat.get()).askAboutCode('explain', args),
  },
  'inferenceService.writeTests': {
    when: 'false',
    run: async ({ chat }, ...args) => (await chat.get()).askAboutCode('writeTests', args),
  },
  'inferenceService.chatWithPersona': {
    when: signedInCondition,
    run: async ({ chat }, search) => (await chat.get()).choosePersona(search),
  },

  'inferenceService.agent.acceptChange': {
    run: async ({ chat }, uri, id) => (await getReviewCommands(chat)).acceptChange(uri, id),
  },
  'inferenceService.agent.rejectChange': {
    run: async ({ chat }, uri, id) => (await getReviewCommands(chat)).rejectChange(uri, id),
  },
  'inferenceService.agent.acceptFile': {
    when: 'false',
    run: async ({ chat }, uri) => (await getReviewCommands(chat)).acceptFile(uri),
  },
  'inferenceService.agent.rejectFile': {
    when: 'false',
    run: async ({ chat }, uri) => (await getReviewCommands(chat)).rejectFile(uri),
  },
  'inferenceService.agent.nextChange': {
    when: 'false',
    run: async ({ chat }) => (await getReviewCommands(chat)).goToChange('next'),
  },
  'inferenceService.agent.previousChange': {
    when: 'false',
    run: async ({ chat }) => (await getReviewCommands(chat)).goToChange('previous'),
  },
  'inferenceService.agent.showChanges': {
    when: 'false',
    run: async ({ chat }, uri) => (await getReviewCommands(chat)).showChanges(uri),
  },

  'inferenceService.editInline': {
    when: editableCodeCondition,
    run: async ({ editor }, ...args) => (await editor.get()).edit('editInline', args),
  },
  'inferenceService.fix': {
    when: editableCodeCondition,
    run: async ({ editor }, ...args) => (await editor.get()).edit('fix', args),
  },
  'inferenceService.document': {
    when: 'false',
    run: async ({ editor }, ...args) => (await editor.get()).edit('document', args),
  },
  'inferenceService.inlineEdit.accept': {
    when: 'false',
    run: async ({ editor }, uri) => (await editor.get()).accept(uri),
  },
  'inferenceService.inlineEdit.reject': {
    when: 'false',
    run: async ({ editor }, uri) => (await editor.get()).reject(uri),
  },
  'inferenceService.inlineEdit.retry': {
    when: 'false',
    run: async ({ editor }, uri) => (await editor.get()).retry(uri),
  },
  'inferenceService.inlineEdit.stop': {
    when: 'false',
    run: async ({ editor }, uri) => (await editor.get()).stop(uri),
  },
  'inferenceService.generateCommitMessage': {
    when: 'false',
    run: async ({ editor }, ...args) => (await editor.get()).commitMessages.generate(args),
  },
  'inferenceService.reviewChanges': {
    when: `gitOpenRepositoryCount > 0 && ${signedInCondition} && isWorkspaceTrusted`,
    run: async ({ editor }, ...args) => (await editor.get()).reviews.review(args),
  },
  'inferenceService.review.fix': {
    when: 'false',
    run: async ({ editor }, thread) => (await editor.get()).reviews.fixFinding(thread),
  },
  'inferenceService.review.discard': {
    when: 'false',
    run: async ({ editor }, thread) => (await editor.get()).reviews.discardFinding(thread),
  },
  'inferenceService.stopCommitMessage': {
    when: 'false',
    run: async ({ editor }) => (await editor.get()).commitMessages.stop(),
  },

  'inferenceService.completion.trigger': {
    when: 'false',
    run: async (context) => (await loadSuggestionCommands()).triggerSuggestion(context),
  },
  'inferenceService.completion.turnOn': {
    when: `!${suggestionsEnabledCondition}`,
    run: async (context) => (await loadSuggestionCommands()).turnOnOrExplain(context),
  },
  'inferenceService.completion.turnOff': {
    when: suggestionsEnabledCondition,
    run: async () => (await loadSuggestionCommands()).turnOffSuggestions(),
  },
  'inferenceService.completion.toggleLanguage': {
    when: 'false',
    run: async () => (await loadSuggestionCommands()).toggleLanguage(),
  },
  'inferenceService.completion.snooze': {
    when: 'false',
    run: async ({ suggestions }, minutes) =>
      (await loadSuggestionCommands()).snoozeSuggestions(suggestions, minutes),
  },
  'inferenceService.completion.resume': {
    when: 'false',
    run: ({ suggestions }) => suggestions.resume(),
  },
  'inferenceService.completion.selectModel': {
    when: 'false',
    run: async ({ host, suggestions }) => {
      const { selectCompletionModel } =
        await import('./completion/vscode/select-completion-model.ts');
      selectCompletionModel(host, () => suggestions.acceptModelPrice());
    },
  },
  'inferenceService.completion.explain': {
    when: 'false',
    run: async (context) => (await loadSuggestionCommands()).explainMissingSuggestion(context),
  },
  'inferenceService.completion.acceptNextLine': {
    when: 'false',
    run: async () => (await loadSuggestionCommands()).acceptNextLine(),
  },
  'inferenceService.completion.goToNextEdit': {
    when: 'false',
    run: ({ suggestions }) => suggestions.runtime?.nextEdit?.run(),
  },
  'inferenceService.completion.dismissNextEdit': {
    when: 'false',
    run: ({ suggestions }) => suggestions.runtime?.nextEdit?.dismiss(),
  },
  'inferenceService.completion.showMenu': {
    run: async (context) => (await loadSuggestionCommands()).showMenu(context),
  },

  'inferenceService.insertImage': {
    when: `editorIsOpen && !editorReadonly && ${signedInCondition}`,
    run: async ({ images }) => {
      const { insertImage } = await import('./image/vscode/insert-image.ts');
      return insertImage(await images.get());
    },
  },
  'inferenceService.generateImageFromSelection': {
    when: 'false',
    run: async ({ images }) => {
      const { generateFromSelection } = await import('./image/vscode/insert-image.ts');
      return generateFromSelection(await images.get());
    },
  },
  'inferenceService.openImageStudio': {
    run: async ({ images }) => (await images.get()).openStudio(),
  },
  'inferenceService.openImageGallery': {
    when: 'false',
    run: async ({ images }) => (await images.get()).openGallery(),
  },
  'inferenceService.saveUnstoredImages': {
    when: 'inferenceService.hasUnstoredImages',
    run: async ({ images }, action) => {
      const { unstoredImages } = await images.get();
      return action === 'discard' ? unstoredImages.discardAll() : unstoredImages.saveAll();
    },
  },
  'inferenceService.editImage': {
    when: imageCondition,
    run: async ({ images }, clickedResource) => (await images.get()).editFile(clickedResource),
  },
  'inferenceService.upscaleImage': {
    when: imageCondition,
    run: async ({ images }, clickedResource) => (await images.get()).upscaleFile(clickedResource),
  },
  'inferenceService.removeImageBackground': {
    when: imageCondition,
    run: async ({ images }, clickedResource) =>
      (await images.get()).removeFileBackground(clickedResource),
  },

  'inferenceService.readAloud': {
    when: 'false',
    run: async ({ chat }) => (await loadSpeechCommands()).readAloud((await chat.get()).voice),
  },
  'inferenceService.stopReading': {
    when: 'inferenceService.reading',
    run: async () => (await import('./speech/vscode/read-aloud.ts')).stopReading(),
  },
  'inferenceService.saveSpeech': {
    when: `${signedInCondition} && view.inferenceService.chat.visible`,
    run: async ({ chat }) => (await loadSpeechCommands()).saveSpeechAs((await chat.get()).voice),
  },
  'inferenceService.selectVoice': {
    when: 'false',
    run: async ({ host }) => (await import('./speech/vscode/select-voice.ts')).selectVoice(host),
  },
  'inferenceService.dictate': {
    when: 'false',
    run: async ({ chat }) =>
      (await import('./speech/vscode/dictate.ts')).dictateMessage((await chat.get()).voice),
  },
  'inferenceService.transcribeFile': {
    when: signedInCondition,
    run: async ({ chat }) =>
      (await import('./speech/vscode/transcribe.ts')).transcribeFile((await chat.get()).voice),
  },

  'inferenceService.selectModel': {
    run: async ({ chat }) => (await chat.get()).selectModel(),
  },
  'inferenceService.refreshModels': {
    when: 'false',
    run: async ({ host }) =>
      (await import('./models/vscode/refresh-models.ts')).refreshModels(host),
  },
  'inferenceService.showAttestation': {
    when: 'false',
    run: async ({ host }, model, protection) =>
      (await import('./privacy/vscode/show-attestation.ts')).showAttestationCommand(
        host,
        model,
        protection,
      ),
  },
  'inferenceService.useInVsCodeChat': {
    when: `${signedInCondition} && !config.chat.disableAIFeatures`,
    run: async ({ host }) =>
      (await import('./language-model/use-in-vscode-chat.ts')).useInVsCodeChat(host),
  },
  'inferenceService.forgetExtensionAccess': {
    when: 'inferenceService.hasConnectedExtensions',
    run: async ({ host }) => (await import('./api/access.ts')).forgetExtensionAccess(host),
  },

  'inferenceService.setApiKey': {
    run: async ({ host }) => (await loadKeyCommands()).setApiKey(host.account),
  },
  'inferenceService.removeApiKey': {
    when: `${signedInCondition} && !inferenceService.environmentKey`,
    run: async ({ host }) => (await loadKeyCommands()).removeApiKey(host.account),
  },
  'inferenceService.setAddress': {
    run: async ({ host }) => (await loadKeyCommands()).setAddressAndKey(host.account),
  },
  'inferenceService.addProfile': {
    when: 'false',
    run: async ({ host }) => (await loadKeyCommands()).addProfileAndKey(host.account),
  },
  'inferenceService.removeProfile': {
    when: 'false',
    run: async ({ host }) =>
      (await import('./account/vscode/profile-commands.ts')).removeProfile(host.account),
  },
  'inferenceService.switchProfile': {
    run: async ({ host }) =>
      (await import('./account/vscode/profile-commands.ts')).switchProfile(host.account),
  },
  'inferenceService.testConnection': {
    when: `!${signedInCondition}`,
    run: async ({ host }) =>
      (await import('./account/vscode/connection-test.ts')).testConnectionAndShow(host.account),
  },
  'inferenceService.budget.set': {
    when: 'false',
    run: async ({ host }) => (await import('./account/vscode/set-budget.ts')).setBudget(host),
  },
  'inferenceService.showFunding': {
    when: signedInCondition,
    run: async ({ host }) => (await import('./wallet/vscode/funding-view.ts')).showFunding(host),
  },
  'inferenceService.showUsage': {
    when: signedInCondition,
    run: async ({ chat }) => (await chat.get()).showUsage(),
  },
  'inferenceService.copyDiagnostics': {
    when: `!${signedInCondition}`,
    run: async ({ host }) =>
      (await import('./models/vscode/diagnostics-commands.ts')).copyDiagnostics(host),
  },
  'inferenceService.reportIssue': {
    run: async ({ host }) =>
      (await import('./models/vscode/diagnostics-commands.ts')).reportIssue(host),
  },
  'inferenceService.showLog': { run: ({ host }) => host.log.show() },

  'inferenceService.wallet.connect': {
    when: `!${signedInCondition}`,
    run: async ({ host }) =>
      (await import('./wallet/vscode/connect-wallet.ts')).connectCommand(host),
  },
  'inferenceService.wallet.show': {
    when: signedInCondition,
    run: async ({ host }) => (await import('./wallet/vscode/wallet-view.ts')).showWallet(host),
  },
  'inferenceService.wallet.disconnect': {
    when: 'false',
    run: async ({ host }) =>
      (await import('./wallet/vscode/local-accounts.ts')).disconnectCommand(host),
  },
  'inferenceService.wallet.addLocalAccount': {
    when: 'false',
    run: async ({ host }) =>
      (await import('./wallet/vscode/connect-wallet.ts')).addLocalAccountCommand(host),
  },
  'inferenceService.wallet.copyLink': {
    when: 'false',
    run: async () => (await import('./wallet/browser/vscode/browser-wallet.ts')).copyLinkCommand(),
  },
  'inferenceService.wallet.stake': {
    when: `!${signedInCondition}`,
    run: async ({ host }, options) =>
      (await import('./wallet/staking/vscode/stake-command.ts')).stakeCommand(host, options),
  },
  'inferenceService.wallet.unstake': {
    when: 'false',
    run: async ({ host }) =>
      (await import('./wallet/staking/vscode/unstake-command.ts')).unstakeCommand(host),
  },
  'inferenceService.wallet.revokeApproval': {
    when: 'false',
    run: async ({ host }) =>
      (await import('./wallet/staking/vscode/stake-command.ts')).revokeApprovalCommand(host),
  },
  'inferenceService.wallet.topUp': {
    when: 'false',
    run: async ({ host }) =>
      (await import('./wallet/x402/vscode/top-up-command.ts')).runTopUpCommand(host),
  },
  'inferenceService.wallet.showPayments': {
    when: 'config.inferenceService.wallet.payPerRequest',
    run: async ({ host }) =>
      (await import('./wallet/x402/vscode/payments-view.ts')).showPayments(host),
  },
  'inferenceService.wallet.payPerRequest': {
    when: 'false',
    run: async ({ host }) =>
      (await import('./wallet/x402/vscode/pay-per-request.ts')).togglePayPerRequest(host),
  },
  'inferenceService.mintKey': {
    run: async ({ host }, options) =>
      (await import('./wallet/mint/vscode/mint-command.ts')).mintKeyCommand(host, options),
  },
  'inferenceService.keys.show': {
    when: signedInCondition,
    run: async ({ host }) => (await import('./wallet/keys/vscode/show-keys.ts')).showKeys(host),
  },
  'inferenceService.keys.rotate': {
    when: 'false',
    run: async ({ host }) =>
      (await import('./wallet/keys/vscode/rotate-key.ts')).rotateKeyCommand(host),
  },
  'inferenceService.keys.mintForWorkspace': {
    when: 'false',
    run: async ({ host }) =>
      (await import('./wallet/keys/vscode/mint-for-workspace.ts')).mintForWorkspace(host),
  },
};

const getAgent = async (chat: CommandContext['chat']) => (await chat.get()).agents.getRuntime();

const getReviewCommands = async (chat: CommandContext['chat']) =>
  (await getAgent(chat)).changes.reviewCommands;

const loadSuggestionCommands = () => import('./completion/vscode/completion-commands.ts');

const loadSpeechCommands = () => import('./speech/vscode/voice-commands.ts');

const loadKeyCommands = () => import('./account/vscode/key-commands.ts');
