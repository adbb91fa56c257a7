import { WalletError } from '../../wallet-failure.ts';
import { openPage as open, type OpenedPage, PageError } from '../../../platform/pages/open-page.ts';

/**
 * Opens the page of the wallet where the person's browser is.
 * @throws WalletError `page-unavailable` when others could reach it, `rejected` when nobody knows and the person declines
 */
export async function openPage(options: Parameters<typeof open>[0]): Promise<OpenedPage> {
  try {
    return await open(options);
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    throw new WalletError(
      error.code === 'unavailable' ? 'page-unavailable' : 'rejected',
      error.message,
    );
  }
}
