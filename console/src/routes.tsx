import { createRootRoute, createRoute, lazyRouteComponent, notFound } from "@tanstack/react-router";
import {
  externalProviders,
  proxyAccountProvider,
} from "@tollgate/contract/accounts/external-providers.ts";
import { NotFoundPage } from "./features/errors/not-found-page.tsx";
import { enterSignedIn, requireChosenPassword } from "./shell/guard.ts";
import { Shell } from "./shell/shell.tsx";
import { SignedInArea } from "./shell/signed-in-area.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: requireChosenPassword,
  component: lazyRouteComponent(() => import("./features/home/home-page.tsx"), "HomePage"),
});

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  component: lazyRouteComponent(() => import("./features/session/login-page.tsx"), "LoginPage"),
});

const register = createRoute({
  getParentRoute: () => root,
  path: "/register",
  component: lazyRouteComponent(
    () => import("./features/session/register-page.tsx"),
    "RegisterPage",
  ),
});

const resetRequest = createRoute({
  getParentRoute: () => root,
  path: "/reset",
  component: lazyRouteComponent(
    () => import("./features/session/reset-request-page.tsx"),
    "ResetRequestPage",
  ),
});

const newPassword = createRoute({
  getParentRoute: () => root,
  path: "/user/reset",
  component: lazyRouteComponent(
    () => import("./features/session/new-password-page.tsx"),
    "NewPasswordPage",
  ),
});

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
const models = createRoute({
  getParentRoute: () => live,
  path: "/models",
  beforeLoad: requireChosenPassword,
  component: lazyRouteComponent(() => import("./features/models/models-page.tsx"), "ModelsPage"),
});
const serviceHealth = createRoute({
  getParentRoute: () => live,
  path: "/status",
  beforeLoad: requireChosenPassword,
  component: lazyRouteComponent(
    () => import("./features/service-health/service-health-page.tsx"),
    "ServiceHealthPage",
  ),
});
const reference = createRoute({
  getParentRoute: () => live,
  path: "/reference",
  beforeLoad: requireChosenPassword,
  component: lazyRouteComponent(
    () => import("./features/reference/reference-page.tsx"),
    "ReferencePage",
  ),
});
const keyHolder = createRoute({
  getParentRoute: () => live,
  path: "/key",
  beforeLoad: requireChosenPassword,
  component: lazyRouteComponent(
    () => import("./features/key-holder/key-holder-page.tsx"),
    "KeyHolderPage",
  ),
});
const invitation = createRoute({
  getParentRoute: () => live,
  path: "/invitation",
  beforeLoad: requireChosenPassword,
  component: lazyRouteComponent(
    () => import("./features/teams/invitation-page.tsx"),
    "InvitationPage",
  ),
});
const model = createRoute({
  getParentRoute: () => signedIn,
  path: "/models/one",
  component: lazyRouteComponent(() => import("./features/models/model-page.tsx"), "ModelPage"),
});
const about = createRoute({
  getParentRoute: () => signedIn,
  path: "/about",
  component: lazyRouteComponent(() => import("./features/about/about-page.tsx"), "AboutPage"),
});
const chat = createRoute({
  getParentRoute: () => signedIn,
  path: "/chat",
  component: lazyRouteComponent(() => import("./features/chat/chat-page.tsx"), "ChatPage"),
});
const playground = createRoute({
  getParentRoute: () => signedIn,
  path: "/playground",
  component: lazyRouteComponent(
    () => import("./features/playground/playground-page.tsx"),
    "PlaygroundPage",
  ),
});
const dashboard = createRoute({
  getParentRoute: () => signedIn,
  path: "/dashboard",
  component: lazyRouteComponent(
    () => import("./features/dashboard/dashboard-page.tsx"),
    "DashboardPage",
  ),
});
const report = createRoute({
  getParentRoute: () => signedIn,
  path: "/report",
  component: lazyRouteComponent(() => import("./features/reports/report-page.tsx"), "ReportPage"),
});
const logs = createRoute({
  getParentRoute: () => signedIn,
  path: "/logs",
  component: lazyRouteComponent(() => import("./features/logs/log-list-page.tsx"), "LogListPage"),
});
const tokens = createRoute({
  getParentRoute: () => signedIn,
  path: "/tokens",
  component: lazyRouteComponent(
    () => import("./features/tokens/token-list-page.tsx"),
    "TokenListPage",
  ),
});
const tokenAdd = createRoute({
  getParentRoute: () => signedIn,
  path: "/tokens/add",
  component: lazyRouteComponent(
    () => import("./features/tokens/token-add-page.tsx"),
    "TokenAddPage",
  ),
});
const tokenBatch = createRoute({
  getParentRoute: () => signedIn,
  path: "/tokens/batch",
  component: lazyRouteComponent(
    () => import("./features/tokens/token-batch-page.tsx"),
    "TokenBatchPage",
  ),
});
const callCheck = createRoute({
  getParentRoute: () => signedIn,
  path: "/tokens/check",
  component: lazyRouteComponent(
    () => import("./features/call-checks/call-check-page.tsx"),
    "CallCheckPage",
  ),
});
const runs = createRoute({
  getParentRoute: () => signedIn,
  path: "/runs",
  component: lazyRouteComponent(() => import("./features/agent-runs/runs-page.tsx"), "RunsPage"),
});
const run = createRoute({
  getParentRoute: () => signedIn,
  path: "/runs/$id",
  component: lazyRouteComponent(() => import("./features/agent-runs/run-page.tsx"), "RunPage"),
});
const teams = createRoute({
  getParentRoute: () => signedIn,
  path: "/teams",
  component: lazyRouteComponent(() => import("./features/teams/teams-page.tsx"), "TeamsPage"),
});
const team = createRoute({
  getParentRoute: () => signedIn,
  path: "/teams/$id/{-$tab}",
  component: lazyRouteComponent(() => import("./features/teams/team-page.tsx"), "TeamPage"),
});
const loadTokenPage = () => import("./features/tokens/token-page.tsx");
const token = createRoute({
  getParentRoute: () => signedIn,
  path: "/tokens/$id/{-$tab}",
  component: lazyRouteComponent(loadTokenPage, "TokenPage"),
});
const tokenEdit = createRoute({
  getParentRoute: () => signedIn,
  path: "/tokens/edit/$id",
  component: lazyRouteComponent(loadTokenPage, "TokenEditPage"),
});
const channels = createRoute({
  getParentRoute: () => admins,
  path: "/channels",
  component: lazyRouteComponent(
    () => import("./features/channels/channel-list-page.tsx"),
    "ChannelListPage",
  ),
});
const channelConnect = createRoute({
  getParentRoute: () => admins,
  path: "/channels/connect",
  component: lazyRouteComponent(
    () => import("./features/channels/channel-connect-page.tsx"),
    "ChannelConnectPage",
  ),
});
const channelCosts = createRoute({
  getParentRoute: () => admins,
  path: "/channels/costs",
  component: lazyRouteComponent(
    () => import("./features/cost-reports/cost-report-page.tsx"),
    "CostReportPage",
  ),
});
const modelPrices = createRoute({
  getParentRoute: () => admins,
  path: "/channels/prices",
  component: lazyRouteComponent(() => import("./features/prices/price-page.tsx"), "PricePage"),
});
const virtualModels = createRoute({
  getParentRoute: () => admins,
  path: "/channels/virtual/{-$id}",
  component: lazyRouteComponent(
    () => import("./features/virtual-models/virtual-models.tsx"),
    "VirtualModels",
  ),
});
const mcpServers = createRoute({
  getParentRoute: () => admins,
  path: "/channels/mcp/{-$id}",
  component: lazyRouteComponent(
    () => import("./features/mcp-servers/mcp-servers.tsx"),
    "McpServers",
  ),
});
const channelAdd = createRoute({
  getParentRoute: () => admins,
  path: "/channels/add",
  component: lazyRouteComponent(
    () => import("./features/channels/channel-add-page.tsx"),
    "ChannelAddPage",
  ),
});
const loadChannelPage = () => import("./features/channels/channel-page.tsx");
const channel = createRoute({
  getParentRoute: () => admins,
  path: "/channels/$id/{-$tab}",
  component: lazyRouteComponent(loadChannelPage, "ChannelPage"),
});
const channelEdit = createRoute({
  getParentRoute: () => admins,
  path: "/channels/edit/$id",
  component: lazyRouteComponent(loadChannelPage, "ChannelEditPage"),
});
const ownAccount = createRoute({
  getParentRoute: () => signedIn,
  path: "/users/edit",
  component: lazyRouteComponent(
    () => import("./features/account/own-account-page.tsx"),
    "OwnAccountPage",
  ),
});
const settings = createRoute({
  getParentRoute: () => signedIn,
  path: "/settings",
  component: lazyRouteComponent(
    () => import("./features/settings/settings-page.tsx"),
    "SettingsPage",
  ),
});
const personal = createRoute({
  getParentRoute: () => settings,
  path: "/",
  component: lazyRouteComponent(() => import("./features/account/personal-tab.tsx"), "PersonalTab"),
});
const budgets = createRoute({
  getParentRoute: () => admins,
  path: "/budgets",
  component: lazyRouteComponent(() => import("./features/budgets/budgets-page.tsx"), "BudgetsPage"),
});
const alerts = createRoute({
  getParentRoute: () => admins,
  path: "/alerts",
  component: lazyRouteComponent(() => import("./features/alerts/alerts-page.tsx"), "AlertsPage"),
});
const destinations = createRoute({
  getParentRoute: () => admins,
  path: "/alerts/destinations",
  component: lazyRouteComponent(
    () => import("./features/alerts/destinations-page.tsx"),
    "DestinationsPage",
  ),
});
const deliveries = createRoute({
  getParentRoute: () => admins,
  path: "/alerts/deliveries",
  component: lazyRouteComponent(
    () => import("./features/alerts/deliveries-page.tsx"),
    "DeliveriesPage",
  ),
});
const incident = createRoute({
  getParentRoute: () => admins,
  path: "/alerts/incident",
  component: lazyRouteComponent(
    () => import("./features/incident/incident-page.tsx"),
    "IncidentPage",
  ),
});
const device = createRoute({
  getParentRoute: () => signedIn,
  path: "/device",
  component: lazyRouteComponent(() => import("./features/device/device-page.tsx"), "DevicePage"),
});
const managementKeys = createRoute({
  getParentRoute: () => signedIn,
  path: "/settings/keys",
  component: lazyRouteComponent(
    () => import("./features/account/management-keys-page.tsx"),
    "ManagementKeysPage",
  ),
});
const ownNotices = createRoute({
  getParentRoute: () => signedIn,
  path: "/settings/notices",
  component: lazyRouteComponent(
    () => import("./features/alerts/own-notices-page.tsx"),
    "OwnNoticesPage",
  ),
});
const operation = createRoute({
  getParentRoute: () => settings,
  path: "/operation",
  component: lazyRouteComponent(
    () => import("./features/settings/operation-tab.tsx"),
    "OperationTab",
  ),
});
const system = createRoute({
  getParentRoute: () => settings,
  path: "/system",
  component: lazyRouteComponent(() => import("./features/settings/system-tab.tsx"), "SystemTab"),
});
const signInSettings = createRoute({
  getParentRoute: () => settings,
  path: "/sign-in/{-$id}",
  component: lazyRouteComponent(
    () => import("./features/settings/identity-providers/identity-providers-tab.tsx"),
    "IdentityProvidersTab",
  ),
});
const other = createRoute({
  getParentRoute: () => settings,
  path: "/other/{-$id}",
  component: lazyRouteComponent(() => import("./features/settings/other-tab.tsx"), "OtherTab"),
});
const changes = createRoute({
  getParentRoute: () => settings,
  path: "/changes",
  component: lazyRouteComponent(() => import("./features/settings/changes-tab.tsx"), "ChangesTab"),
});
const users = createRoute({
  getParentRoute: () => admins,
  path: "/users",
  component: lazyRouteComponent(
    () => import("./features/users/user-list-page.tsx"),
    "UserListPage",
  ),
});
const userAdd = createRoute({
  getParentRoute: () => admins,
  path: "/users/add",
  component: lazyRouteComponent(() => import("./features/users/user-add-page.tsx"), "UserAddPage"),
});
const userBatch = createRoute({
  getParentRoute: () => admins,
  path: "/users/batch",
  component: lazyRouteComponent(
    () => import("./features/users/user-batch-page.tsx"),
    "UserBatchPage",
  ),
});
const loadUserPage = () => import("./features/users/user-page.tsx");
const user = createRoute({
  getParentRoute: () => admins,
  path: "/users/$id/{-$tab}",
  component: lazyRouteComponent(loadUserPage, "UserPage"),
});
const userEdit = createRoute({
  getParentRoute: () => admins,
  path: "/users/edit/$id",
  component: lazyRouteComponent(loadUserPage, "UserEditPage"),
});
const redemptions = createRoute({
  getParentRoute: () => admins,
  path: "/redemptions",
  component: lazyRouteComponent(
    () => import("./features/redemptions/redemption-list-page.tsx"),
    "RedemptionListPage",
  ),
});
const redemptionAdd = createRoute({
  getParentRoute: () => admins,
  path: "/redemptions/add",
  component: lazyRouteComponent(
    () => import("./features/redemptions/redemption-add-page.tsx"),
    "RedemptionAddPage",
  ),
});
const redemptionEdit = createRoute({
  getParentRoute: () => admins,
  path: "/redemptions/edit/$id",
  component: lazyRouteComponent(
    () => import("./features/redemptions/redemption-edit-page.tsx"),
    "RedemptionEditPage",
  ),
});
const topUp = createRoute({
  getParentRoute: () => signedIn,
  path: "/topup",
  component: lazyRouteComponent(() => import("./features/topup/top-up-page.tsx"), "TopUpPage"),
});

export const routeTree = root.addChildren([
  home,
  login,
  providerCallback,
  oidcCallback,
  register,
  resetRequest,
  newPassword,
  live.addChildren([
    models,
    serviceHealth,
    reference,
    keyHolder,
    invitation,
    signedIn.addChildren([
      about,
      model,
      playground,
      chat,
      dashboard,
      report,
      logs,
      runs,
      run,
      tokens,
      tokenAdd,
      tokenBatch,
      callCheck,
      token,
      tokenEdit,
      teams,
      team,
      ownAccount,
      device,
      managementKeys,
      ownNotices,
      settings.addChildren([personal, operation, system, signInSettings, other, changes]),
      topUp,
      admins.addChildren([
        channels,
        channelConnect,
        channelCosts,
        modelPrices,
        virtualModels,
        mcpServers,
        budgets,
        alerts,
        destinations,
        deliveries,
        incident,
        channelAdd,
        channel,
        channelEdit,
        users,
        userAdd,
        userBatch,
        user,
        userEdit,
        redemptions,
        redemptionAdd,
        redemptionEdit,
      ]),
    ]),
  ]),
]);
