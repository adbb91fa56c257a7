const vscode = require('vscode');

const text = (value) =>
  new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(value)]);

const show = async (content) => {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content }));
};

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.lm.registerTool('tide_height', {
      invoke: ({ input }) => text(`At ${input.station} the tide is at 3.4 m.`),
    }),
    vscode.lm.registerTool('tide_alarm', {
      prepareInvocation: ({ input }) => ({
        invocationMessage: 'Setting an alarm',
        confirmationMessages: {
          title: 'Set a tide alarm?',
          message: `It rings at high water at ${input.station}.`,
        },
      }),
      invoke: ({ input }) => text(`The alarm for ${input.station} is set.`),
    }),
    vscode.commands.registerCommand('tide.askModel', async () => {
      const service = vscode.extensions.getExtension('inference-service.inference-service');
      const api = await service.activate();
      const messages = [{ role: 'user', content: 'When is high water?' }];
      const answer = await api.client.complete({ caller: 'sample.tide-tools', messages });
      await show(answer.ok ? answer.text : answer.message);
    }),
    vscode.commands.registerCommand('tide.askGroup', async () => {
      const models = await vscode.lm.selectChatModels({ vendor: 'inferenceService' });
      const model = models.find(({ version }) => version.startsWith('group'));
      const messages = [vscode.LanguageModelChatMessage.User('When is high water?')];
      let content = '';
      for await (const part of (await model.sendRequest(messages)).text) content += part;
      await show(content);
    }),
  );
};
