const vscode = require('vscode');

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand('tideTables.showHeight', () => {
      vscode.window.setStatusBarMessage(vscode.l10n.t('The tide is at {0} m.', '3.4'));
    }),
    vscode.commands.registerCommand('tideTables.showHighWater', () => {
      vscode.window.setStatusBarMessage(vscode.l10n.t('High water is at {0}.', '14:05'));
    }),
  );
};
