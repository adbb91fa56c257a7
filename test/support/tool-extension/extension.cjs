const vscode = require('vscode');

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.lm.registerTool('tide_height', {
      invoke: ({ input }) =>
        new vscode.LanguageModelToolResult([
          new vscode.LanguageModelTextPart(`At ${input.station} the tide is at 3.4 m.`),
        ]),
    }),
  );
};
