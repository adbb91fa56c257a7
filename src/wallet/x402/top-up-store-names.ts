/** Begins the name of each entry of the editor's state about a payment whose end is not known. */
export const topUpPrefix = 'wallet.topUp.';
