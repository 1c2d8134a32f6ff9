import { useRouter } from "@tanstack/react-router";
import { useSession } from "../session.ts";

/** Paths as plain text: the pages join the route table later, and the links appear with them. */
type SignInOptions = {
  register: string | undefined;
  reset: string | undefined;
  github: boolean;
  lark: boolean;
  chatApp: boolean;
};

/** Which ways there are besides signing in with a password: those this build has and the operator allows. */
export function useSignInOptions(): SignInOptions {
  const paths: Record<string, unknown> = useRouter().routesByPath;
  const { status } = useSession();
  return {
    register: "/register" in paths && status.password_register !== false ? "/register" : undefined,
    reset: "/reset" in paths ? "/reset" : undefined,
    github: Boolean(status.github_client_id),
    lark: Boolean(status.lark_client_id),
    chatApp: status.wechat_login === true,
  };
}
