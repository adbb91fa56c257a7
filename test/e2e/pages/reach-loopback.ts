import type { BrowserContext } from 'playwright-core';

/**
 * This build of the server sends browsers to a proxy of its own (`/proxy/<port>/`), which does not run here: leads them
 * to that port of this machine itself, as the desktop does. What stands behind `#` comes along.
 */
export async function reachLoopback(context: BrowserContext): Promise<void> {
  if (reached.has(context)) return;
  reached.add(context);
  await context.route(/^http:\/\/127\.0\.0\.1:\d+\/proxy\/\d+\//u, (route) => {
    const { pathname } = new URL(route.request().url());
    const [, , port = '', ...rest] = pathname.split('/');
    const location = `http://127.0.0.1:${port}/${rest.join('/')}`;
    return route.fulfill({ status: 302, headers: { location } });
  });
}

const reached = new WeakSet<BrowserContext>();
