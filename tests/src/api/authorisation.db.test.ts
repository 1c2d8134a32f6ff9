import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

// Kept here by hand: an operation that becomes public or loses its role has to change this list
// too.
const openToStrangers = [
  "beginPasskeyLogin",
  "finishPasskeyLogin",
  "endAtProvider",
  "issueAgentToken",
  "readAgentDiscovery",
  "revokeAgentToken",
  "startDevice",
  "finishExternalLink",
  "finishExternalTotp",
  "finishGithub",
  "finishLark",
  "finishDiscord",
  "finishLinuxdo",
  "finishTelegram",
  "finishWechat",
  "finishOidc",
  "finishProxySignIn",
  "getAbout",
  "getHomePageContent",
  "getNotice",
  "getOpenApi",
  "getServiceHealth",
  "getStatus",
  "listDisplayedModels",
  "listResetWays",
  "login",
  "logout",
  "logoutByGet",
  "newOauthState",
  "newOauthStateByPost",
  "register",
  "requestReset",
  "requestResetByGet",
  "resetPassword",
  "sendVerification",
  "sendVerificationByGet",
];
const openToUsers = [
  ...openToStrangers,
  "answerDevice",
  "findDevice",
  "bindEmail",
  "bindEmailByGet",
  "changeManyTokens",
  "checkCall",
  "confirmTokenNotices",
  "confirmTotp",
  "createManagementKey",
  "createOwnDestination",
  "createToken",
  "deleteCallBody",
  "deleteManagementKey",
  "deleteOwnDestination",
  "deleteSelf",
  "deleteSelfByPost",
  "deleteToken",
  "disableManagementKey",
  "disableTotp",
  "enableManagementKey",
  "endOtherSessions",
  "endSession",
  "exportOwnLogs",
  "findToken",
  "getCallBody",
  "getDashboard",
  "getSpending",
  "getDashboardInsight",
  "exportFocus",
  "exportMonthReport",
  "getInvitationCode",
  "getInvitationCodeByPost",
  "getMonthReport",
  "getNoticeSettings",
  "getOwnLogStat",
  "getSelf",
  "getToken",
  "getTotpStatus",
  "getTrace",
  "getTraceOfLog",
  "listAvailableModels",
  "listExternalAccounts",
  "listFailedTries",
  "listKeyFindings",
  "listManagementKeys",
  "listOwnBudgets",
  "listOwnDestinations",
  "listOwnLogs",
  "listOwnModelEnds",
  "listOwnNotices",
  "listOwnProblems",
  ...["listTeams", "getTeam", "updateTeam", "deleteTeam", "transferToTeam"],
  ...["offerKeyToTeam", "listKeyOffers", "answerKeyOffer"],
  ...["listTeamMembers", "setTeamMember", "removeTeamMember"],
  ...["getTeamStatement", "exportTeamStatement"],
  ...["listTeamTokens", "createTeamToken", "setTeamTokenStatus"],
  // Where the site lets them.
  "createTeam",
  ...["listTeamBudgets", "listTeamCaps", "createTeamCap", "updateTeamCap", "removeTeamCap"],
  ...["createMemberCap", "updateMemberCap", "removeMemberCap", "grantMemberCap"],
  ...["askBudget", "listBudgetRequests", "grantBudgetRequest", "declineBudgetRequest"],
  ...["inviteToTeam", "listTeamInvitations", "resendTeamInvitation", "withdrawTeamInvitation"],
  ...["listReceivedInvitations", "readInvitation", "answerInvitation"],
  "listOwnRuns",
  "getRun",
  "stopRun",
  "continueRun",
  "stopRuns",
  "listPasskeys",
  "beginPasskeyProof",
  "beginPasskeyRegistration",
  "finishPasskeyProof",
  "finishPasskeyRegistration",
  "removePasskey",
  "removePasskeyByPost",
  "renamePasskey",
  "listSessions",
  "listTokenGroups",
  "listTokenMcpServers",
  "listTokenNotices",
  "listTokens",
  "listUserModels",
  "redeemCode",
  "removeAccessToken",
  "newAccessToken",
  "newAccessTokenByGet",
  "newPlaygroundToken",
  "putToken",
  "rotateOwnDestination",
  "searchOwnLogs",
  "searchTokens",
  "sendOwnDestinationCode",
  "setLanguage",
  "revealToken",
  "transferToUser",
  "rotateToken",
  "setNoticeSettings",
  "setSpendingLimit",
  "stopOldKey",
  "setupTotp",
  "setupTotpByGet",
  "unbindExternalAccount",
  "tailOwnLogs",
  "testOwnDestination",
  "tryManagementKey",
  "updateOwnDestination",
  "updateSelf",
  "updateToken",
  "updateTokenStatus",
  "verifyOwnDestination",
];
const closedToAdmins = [
  "approveQuotaRequest",
  "beginSiteImport",
  "carrySiteImport",
  "createDestination",
  "createOidcProvider",
  "decidePriceOffers",
  "deleteDestination",
  "deleteOidcProvider",
  "deleteOidcProviderByPost",
  "exportAuditEntries",
  "getOwnVersion",
  "getShadowReport",
  "getSiteImport",
  "getTelemetry",
  "listAuditEntries",
  "listDestinations",
  "listNotices",
  "listOidcProviders",
  "listOptions",
  "listPriceOffers",
  "planSiteImport",
  "readPriceList",
  "removeSiteImport",
  "resendNotice",
  "rotateDestination",
  "startShadowRun",
  "stopShadowRun",
  "putDestination",
  "stopSiteImport",
  "testDestination",
  "testOidcProvider",
  "tryClaims",
  "updateChannelProxy",
  "updateDestination",
  "updateOidcProvider",
  "updateOption",
  "uploadSiteImport",
  "waiveDebt",
];
const beforePasswordChange = [...openToStrangers, "getSelf", "setLanguage", "updateSelf"];

/** A call without a body and with ids of nothing: a client with access gets as far as a refusal. */
function call(client: TestApiClient, { method, path, variant }: Endpoint) {
  const filled = path.replace(":id", "999999").replace(":trace_id", "ffff");
  return client(
    method,
    variant ? `${filled}?${variant}=1` : filled,
    method === "GET" ? {} : { body: {} },
  );
}

describe.each(ruleDatabases)("authorisation on $name", (database) => {
  let gateway: ManagementGateway;
  const actors: Record<string, TestApiClient> = {};
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("user");
    await gateway.addUser("admin", { role: 10 });
    await gateway.addUser("forced", { role: 100, mustChange: true });
    const disabled = await gateway.addUser("disabled", { role: 100 });
    const tokened = await gateway.addUser("tokened");
    for (const name of ["user", "admin", "root", "forced", "disabled"])
      actors[name] = await gateway.signIn(name);
    actors.visitor = gateway.visitor;
    actors.token = (method, path, ask) =>
      gateway.visitor(method, path, { ...ask, headers: { authorization: tokened.token } });
    const { body } = await actor("root")("POST", "/api/token/", { body: { name: "key" } });
    actors.key = (method, path, ask) =>
      gateway.visitor(method, path, {
        ...ask,
        headers: { authorization: `Bearer ${body.data.key}` },
      });
    await gateway.setStatus(disabled.id, 2);
    // Without it, the status page does not exist for anyone.
    await actor("root")("PUT", "/api/option/", {
      body: { key: "StatusPagePublicEnabled", value: "true" },
    });
    // No sign-in is fresh, so deleting the own account asks for the password.
    gateway.clock.now += 11 * 60_000;
  });
  afterAll(() => gateway.close());

  const actor = (name: string): TestApiClient => actors[name] ?? gateway.visitor;
  const refusals = [401, 403];

  test.each(catalogue)("$name", { tags: ["F-22", "F-23", "F-28"] }, async ({ name, endpoint }) => {
    // These end the session or the access token that the next operations need.
    if (name.startsWith("logout") || name === "removeAccessToken") return;
    const status = async (who: string) => (await call(actor(who), endpoint)).status;

    const forStrangers = openToStrangers.includes(name);
    const forUsers = openToUsers.includes(name);
    expect(refusals.includes(await status("visitor"))).toBe(!forStrangers);
    // An API key is for the relay: here it is worth nothing, even root's.
    for (const who of forStrangers ? [] : ["visitor", "disabled", "key"])
      expect(await status(who), who).toBe(401);
    for (const who of ["user", "token"]) expect((await status(who)) === 403, who).toBe(!forUsers);
    const forAdmins = !closedToAdmins.includes(name);
    expect((await status("admin")) === 403).toBe(!forAdmins);
    for (const who of forAdmins ? ["admin", "root"] : ["root"])
      expect([200, 400], who).toContain(await status(who));

    const forced = await call(actor("forced"), endpoint);
    expect(forced.body.code === "password_change_required").toBe(
      !beforePasswordChange.includes(name),
    );
  });

  test("the lists name nothing that does not exist", { tags: ["F-22"] }, () => {
    const names = catalogue.map(({ name }) => name);
    for (const name of [...openToUsers, ...closedToAdmins, ...beforePasswordChange])
      expect(names).toContain(name);
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
