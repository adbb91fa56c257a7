import { userSetting } from '../../platform/settings.ts';
import { readDashboardUrl } from './dashboard-url.ts';

/** The service's website, where accounts are funded: from the user's settings alone, never from the service. */
export function dashboardUrl(): URL | undefined {
  const text = userSetting('inferenceService.dashboardUrl');
  return typeof text === 'string' ? readDashboardUrl(text) : undefined;
}
