import type { BrowserContext } from 'playwright-core';

/**
 * Redirects requests for `/proxy/<port>/<path>` to `/<path>` on this port of the machine, and preserves the URL
 * fragment. The server version of VS Code opens loopback URLs through a proxy that does not run in tests.
 */
export async function routeLoopbackProxy(context: BrowserContext): Promise<void> {
  if (routedContexts.has(context)) return;
  routedContexts.add(context);
  await context.route(/^http:\/\/127\.0\.0\.1:\d+\/proxy\/\d+\//u, (route) => {
    const { pathname } = new URL(route.request().url());
    const [, , port = '', ...pathParts] = pathname.split('/');
    const location = `http://127.0.0.1:${port}/${pathParts.join('/')}`;
    return route.fulfill({ status: 302, headers: { location } });
  });
}

const routedContexts = new WeakSet<BrowserContext>();
