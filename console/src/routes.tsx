import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  notFound,
} from "@tanstack/react-router";
import {
  externalProviders,
  proxyAccountProvider,
} from "@tollgate/contract/accounts/external-providers.ts";
import { NotFoundPage } from "./features/errors/not-found-page.tsx";
import { enterSignedIn, requireChosenPassword } from "./shell/guard.ts";
import { Shell } from "./shell/shell.tsx";
import { SignedInArea } from "./shell/signed-in-area.tsx";

/**
 * `name` is that of the page's component in the module that `load` gives. Preloads and tests read
 * these rows as text (`listPages`).
 */
function addPage<
  Parent extends AnyRoute,
  const Path extends string,
  Module extends Record<string, unknown>,
  Name extends keyof Module,
>(
  parent: Parent,
  path: Path,
  name: Name,
  load: () => Promise<Module>,
  beforeLoad?: typeof requireChosenPassword,
) {
  return createRoute({
    getParentRoute: () => parent,
    path,
    ...(beforeLoad && { beforeLoad }),
    component: lazyRouteComponent(load, name),
  });
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage });

const callbackPage = lazyRouteComponent(
  () => import("./features/session/external-callback-page.tsx"),
  "ExternalCallbackPage",
);
const callbackProviders: readonly string[] = [...externalProviders, proxyAccountProvider];
const providerCallback = createRoute({
  getParentRoute: () => root,
  path: "/oauth/$provider",
  beforeLoad: ({ params }) => {
    if (!callbackProviders.includes(params.provider)) throw notFound();
  },
  component: callbackPage,
});
const oidcCallback = createRoute({
  getParentRoute: () => root,
  path: "/oauth/oidc/$slug",
  component: callbackPage,
});

/** Pages that show server data. The sign-in pages load without the query library. */
const live = createRoute({
  getParentRoute: () => root,
  id: "live",
  component: lazyRouteComponent(() => import("./shell/signed-in-bar.tsx"), "LiveArea"),
});
const signedIn = createRoute({
  getParentRoute: () => live,
  id: "signed-in",
  beforeLoad: enterSignedIn,
  component: SignedInArea,
});
const admins = createRoute({
  getParentRoute: () => signedIn,
  id: "admins",
  component: lazyRouteComponent(() => import("./shell/admin-only.tsx"), "AdminOnly"),
});
const settings = addPage(
  signedIn,
  "/settings",
  "SettingsPage",
  () => import("./features/settings/settings-page.tsx"),
);

export const routeTree = root.addChildren([
  addPage(
    root,
    "/",
    "HomePage",
    () => import("./features/home/home-page.tsx"),
    requireChosenPassword,
  ),
  addPage(root, "/login", "LoginPage", () => import("./features/session/login-page.tsx")),
  providerCallback,
  oidcCallback,
  addPage(root, "/register", "RegisterPage", () => import("./features/session/register-page.tsx")),
  addPage(
    root,
    "/reset",
    "ResetRequestPage",
    () => import("./features/session/reset-request-page.tsx"),
  ),
  addPage(
    root,
    "/user/reset",
    "NewPasswordPage",
    () => import("./features/session/new-password-page.tsx"),
  ),
  live.addChildren([
    addPage(
      live,
      "/models",
      "ModelsPage",
      () => import("./features/models/models-page.tsx"),
      requireChosenPassword,
    ),
    addPage(
      live,
      "/status",
      "ServiceHealthPage",
      () => import("./features/service-health/service-health-page.tsx"),
      requireChosenPassword,
    ),
    addPage(
      live,
      "/reference",
      "ReferencePage",
      () => import("./features/reference/reference-page.tsx"),
      requireChosenPassword,
    ),
    addPage(
      live,
      "/key",
      "KeyHolderPage",
      () => import("./features/key-holder/key-holder-page.tsx"),
      requireChosenPassword,
    ),
    addPage(
      live,
      "/invitation",
      "InvitationPage",
      () => import("./features/teams/invitation-page.tsx"),
      requireChosenPassword,
    ),
    signedIn.addChildren([
      addPage(signedIn, "/about", "AboutPage", () => import("./features/about/about-page.tsx")),
      addPage(
        signedIn,
        "/models/one",
        "ModelPage",
        () => import("./features/models/model-page.tsx"),
      ),
      addPage(
        signedIn,
        "/playground",
        "PlaygroundPage",
        () => import("./features/playground/playground-page.tsx"),
      ),
      addPage(signedIn, "/chat", "ChatPage", () => import("./features/chat/chat-page.tsx")),
      addPage(
        signedIn,
        "/dashboard",
        "DashboardPage",
        () => import("./features/dashboard/dashboard-page.tsx"),
      ),
      addPage(
        signedIn,
        "/report",
        "ReportPage",
        () => import("./features/reports/report-page.tsx"),
      ),
      addPage(signedIn, "/logs", "LogListPage", () => import("./features/logs/log-list-page.tsx")),
      addPage(signedIn, "/runs", "RunsPage", () => import("./features/agent-runs/runs-page.tsx")),
      addPage(signedIn, "/runs/$id", "RunPage", () => import("./features/agent-runs/run-page.tsx")),
      addPage(
        signedIn,
        "/tokens",
        "TokenListPage",
        () => import("./features/tokens/token-list-page.tsx"),
      ),
      addPage(
        signedIn,
        "/tokens/add",
        "TokenAddPage",
        () => import("./features/tokens/token-add-page.tsx"),
      ),
      addPage(
        signedIn,
        "/tokens/batch",
        "TokenBatchPage",
        () => import("./features/tokens/token-batch-page.tsx"),
      ),
      addPage(
        signedIn,
        "/tokens/check",
        "CallCheckPage",
        () => import("./features/call-checks/call-check-page.tsx"),
      ),
      addPage(
        signedIn,
        "/tokens/$id/{-$tab}",
        "TokenPage",
        () => import("./features/tokens/token-page.tsx"),
      ),
      addPage(
        signedIn,
        "/tokens/edit/$id",
        "TokenEditPage",
        () => import("./features/tokens/token-page.tsx"),
      ),
      addPage(signedIn, "/teams", "TeamsPage", () => import("./features/teams/teams-page.tsx")),
      addPage(
        signedIn,
        "/teams/$id/{-$tab}",
        "TeamPage",
        () => import("./features/teams/team-page.tsx"),
      ),
      addPage(
        signedIn,
        "/users/edit",
        "OwnAccountPage",
        () => import("./features/account/own-account-page.tsx"),
      ),
      addPage(signedIn, "/device", "DevicePage", () => import("./features/device/device-page.tsx")),
      addPage(
        signedIn,
        "/settings/keys",
        "ManagementKeysPage",
        () => import("./features/account/management-keys-page.tsx"),
      ),
      addPage(
        signedIn,
        "/settings/notices",
        "OwnNoticesPage",
        () => import("./features/alerts/own-notices-page.tsx"),
      ),
      settings.addChildren([
        addPage(settings, "/", "PersonalTab", () => import("./features/account/personal-tab.tsx")),
        addPage(
          settings,
          "/operation",
          "OperationTab",
          () => import("./features/settings/operation-tab.tsx"),
        ),
        addPage(
          settings,
          "/system",
          "SystemTab",
          () => import("./features/settings/system-tab.tsx"),
        ),
        addPage(
          settings,
          "/sign-in/{-$id}",
          "IdentityProvidersTab",
          () => import("./features/settings/identity-providers/identity-providers-tab.tsx"),
        ),
        addPage(
          settings,
          "/other/{-$id}",
          "OtherTab",
          () => import("./features/settings/other-tab.tsx"),
        ),
        addPage(
          settings,
          "/changes",
          "ChangesTab",
          () => import("./features/settings/changes-tab.tsx"),
        ),
      ]),
      addPage(signedIn, "/topup", "TopUpPage", () => import("./features/topup/top-up-page.tsx")),
      admins.addChildren([
        addPage(
          admins,
          "/channels",
          "ChannelListPage",
          () => import("./features/channels/channel-list-page.tsx"),
        ),
        addPage(
          admins,
          "/channels/connect",
          "ChannelConnectPage",
          () => import("./features/channels/channel-connect-page.tsx"),
        ),
        addPage(
          admins,
          "/channels/costs",
          "CostReportPage",
          () => import("./features/cost-reports/cost-report-page.tsx"),
        ),
        addPage(
          admins,
          "/channels/prices",
          "PricePage",
          () => import("./features/prices/price-page.tsx"),
        ),
        addPage(
          admins,
          "/channels/virtual/{-$id}",
          "VirtualModels",
          () => import("./features/virtual-models/virtual-models.tsx"),
        ),
        addPage(
          admins,
          "/channels/mcp/{-$id}",
          "McpServers",
          () => import("./features/mcp-servers/mcp-servers.tsx"),
        ),
        addPage(
          admins,
          "/budgets",
          "BudgetsPage",
          () => import("./features/budgets/budgets-page.tsx"),
        ),
        addPage(admins, "/alerts", "AlertsPage", () => import("./features/alerts/alerts-page.tsx")),
        addPage(
          admins,
          "/alerts/destinations",
          "DestinationsPage",
          () => import("./features/alerts/destinations-page.tsx"),
        ),
        addPage(
          admins,
          "/alerts/deliveries",
          "DeliveriesPage",
          () => import("./features/alerts/deliveries-page.tsx"),
        ),
        addPage(
          admins,
          "/alerts/incident",
          "IncidentPage",
          () => import("./features/incident/incident-page.tsx"),
        ),
        addPage(
          admins,
          "/channels/add",
          "ChannelAddPage",
          () => import("./features/channels/channel-add-page.tsx"),
        ),
        addPage(
          admins,
          "/channels/$id/{-$tab}",
          "ChannelPage",
          () => import("./features/channels/channel-page.tsx"),
        ),
        addPage(
          admins,
          "/channels/edit/$id",
          "ChannelEditPage",
          () => import("./features/channels/channel-page.tsx"),
        ),
        addPage(
          admins,
          "/users",
          "UserListPage",
          () => import("./features/users/user-list-page.tsx"),
        ),
        addPage(
          admins,
          "/users/add",
          "UserAddPage",
          () => import("./features/users/user-add-page.tsx"),
        ),
        addPage(
          admins,
          "/users/batch",
          "UserBatchPage",
          () => import("./features/users/user-batch-page.tsx"),
        ),
        addPage(
          admins,
          "/users/$id/{-$tab}",
          "UserPage",
          () => import("./features/users/user-page.tsx"),
        ),
        addPage(
          admins,
          "/users/edit/$id",
          "UserEditPage",
          () => import("./features/users/user-page.tsx"),
        ),
        addPage(
          admins,
          "/redemptions",
          "RedemptionListPage",
          () => import("./features/redemptions/redemption-list-page.tsx"),
        ),
        addPage(
          admins,
          "/redemptions/add",
          "RedemptionAddPage",
          () => import("./features/redemptions/redemption-add-page.tsx"),
        ),
        addPage(
          admins,
          "/redemptions/edit/$id",
          "RedemptionEditPage",
          () => import("./features/redemptions/redemption-edit-page.tsx"),
        ),
      ]),
    ]),
  ]),
]);
