/** Routes of programs that sign in for a person, and of the page on which the person answers. */
import {
  answerDevice,
  findDevice,
  issueAgentToken,
  readAgentDiscovery,
  revokeAgentToken,
  startDevice,
} from "@tollgate/contract/accounts/agent-sign-ins.ts";
import { type ApiRoute, apiRoute } from "../../../http/api-route.ts";
import { type AgentSignInDeps, createSignInOfPrograms } from "./agent-sign-in.ts";

export function buildAgentRoutes(deps: AgentSignInDeps): ApiRoute[] {
  const signIn = createSignInOfPrograms(deps);
  return [
    apiRoute(readAgentDiscovery, (call) => signIn.describe(call)),
    apiRoute(startDevice, (call) => signIn.begin(call)),
    apiRoute(issueAgentToken, (call) => signIn.issue(call.body, call)),
    apiRoute(revokeAgentToken, async (call) => {
      await signIn.revoke(call.body.token, call);
      return {};
    }),
    apiRoute(findDevice, (call) => signIn.find(call.body.user_code, call)),
    apiRoute(answerDevice, (call) => signIn.answer(call.body.user_code, call.body.approve, call)),
  ];
}
