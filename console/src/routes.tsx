import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { ErrorPage } from "./features/errors/error-page.tsx";
import { NotFoundPage } from "./features/errors/not-found-page.tsx";
import { getSession } from "./session.ts";
import { requireSession } from "./shell/guard.ts";
import { readSearch, writeSearch } from "./shell/search.ts";
import { Shell } from "./shell/shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage });

/** Until the home page exists, the brand leads to where one works. */
const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: getSession().user === null ? "/login" : "/dashboard", replace: true });
  },
});

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  component: lazyRouteComponent(() => import("./features/session/login-page.tsx"), "LoginPage"),
});

/** Pages that show server data; signing in needs none of its machinery. */
const live = createRoute({
  getParentRoute: () => root,
  id: "live",
  component: lazyRouteComponent(() => import("./shell/live-area.tsx"), "LiveArea"),
});
const signedIn = createRoute({ getParentRoute: () => live, id: "signed-in", beforeLoad: requireSession });
const admins = createRoute({
  getParentRoute: () => signedIn,
  id: "admins",
  component: lazyRouteComponent(() => import("./shell/admin-only.tsx"), "AdminOnly"),
});

const dashboard = createRoute({
  getParentRoute: () => signedIn,
  path: "/dashboard",
  component: lazyRouteComponent(() => import("./features/dashboard/dashboard-page.tsx"), "DashboardPage"),
});

const logs = createRoute({
  getParentRoute: () => signedIn,
  path: "/logs",
  component: lazyRouteComponent(() => import("./features/logs/log-list-page.tsx"), "LogListPage"),
});

const tokens = createRoute({
  getParentRoute: () => signedIn,
  path: "/tokens",
  component: lazyRouteComponent(() => import("./features/tokens/token-list-page.tsx"), "TokenListPage"),
});

const tokenAdd = createRoute({
  getParentRoute: () => signedIn,
  path: "/tokens/add",
  component: lazyRouteComponent(() => import("./features/tokens/token-add-page.tsx"), "TokenAddPage"),
});

const tokenEdit = createRoute({
  getParentRoute: () => signedIn,
  path: "/tokens/edit/$id",
  component: lazyRouteComponent(() => import("./features/tokens/token-edit-page.tsx"), "TokenEditPage"),
});

const channels = createRoute({
  getParentRoute: () => admins,
  path: "/channels",
  component: lazyRouteComponent(() => import("./features/channels/channel-list-page.tsx"), "ChannelListPage"),
});

const channelAdd = createRoute({
  getParentRoute: () => admins,
  path: "/channels/add",
  component: lazyRouteComponent(() => import("./features/channels/channel-add-page.tsx"), "ChannelAddPage"),
});

const channelEdit = createRoute({
  getParentRoute: () => admins,
  path: "/channels/edit/$id",
  component: lazyRouteComponent(() => import("./features/channels/channel-edit-page.tsx"), "ChannelEditPage"),
});

const ownProfile = createRoute({
  getParentRoute: () => signedIn,
  path: "/users/edit",
  component: lazyRouteComponent(() => import("./features/account/profile-page.tsx"), "ProfilePage"),
});

const tree = root.addChildren([
  home,
  login,
  live.addChildren([
    signedIn.addChildren([
      dashboard,
      logs,
      tokens,
      tokenAdd,
      tokenEdit,
      ownProfile,
      admins.addChildren([channels, channelAdd, channelEdit]),
    ]),
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  parseSearch: readSearch,
  stringifySearch: writeSearch,
  defaultPreload: "intent",
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
  /** What one page hands to the next without putting it into the address. */
  interface HistoryState {
    message?: string;
    tone?: "good" | "warn" | "bad";
  }
}
