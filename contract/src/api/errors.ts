/**
 * Every error code of `/api` with its HTTP status and its message for people. The console signs out
 * on 401 and 403, so no other meaning uses them. Only their messages may contain the phrases that
 * older consoles look for ("No permission to perform this operation", "not logged in", "access
 * token is invalid").
 */
interface ErrorMeaning {
  status: 200 | 400 | 401 | 403 | 404 | 409 | 413 | 415 | 429 | 500 | 503;
  message: string;
}

/** `defineRefusals` is for requests that are well formed: the body says `success: false`. */
const defineRefusals = <Code extends string>(messages: Record<Code, string>) =>
  Object.fromEntries(
    Object.entries<string>(messages).map(([code, message]) => [code, [200, message]]),
  ) as Record<Code, [200, string]>;

const defineTable = <Code extends string>(codes: Record<Code, [ErrorMeaning["status"], string]>) =>
  codes;

export const errorTable = defineTable({
  invalid_request: [400, "The request is malformed or a value is out of range"],
  filter_unknown: [
    400,
    "A filter of this request is not known here, and leaving it out would answer something else",
  ],
  malformed_json: [400, "The request body is not valid JSON"],
  same_origin_required: [
    400,
    "This call must come from the console's own pages or carry an access token",
  ],
  password_change_required: [400, "Choose a new password before doing anything else"],
  second_factor_required: [400, "Set up a second factor or a passkey before doing anything else"],
  date_order: [400, "From date must be before or equal to To date"],
  date_in_future: [400, "To date cannot be in the future"],
  date_too_old_week: [400, "From date cannot be more than 7 days ago"],
  date_too_old_year: [400, "From date cannot be more than 1 year ago"],
  date_range_week: [400, "Date range cannot exceed 7 days"],
  date_range_year: [400, "Date range cannot exceed 1 year"],
  oauth_state_invalid: [
    400,
    "This sign-in has expired or was started in another browser. Please start again",
  ],
  log_range_required: [
    400,
    "Searching logs or sorting them by anything but time needs a range of at most 30 days",
  ],
  device_pending: [400, "Nobody has approved the code yet"],
  device_slow_down: [400, "Ask less often"],
  device_denied: [400, "The sign-in was denied in the browser"],
  device_expired: [400, "The code has expired, was used, or its approval has ended. Start again"],
  agent_grant_ended: [400, "The sign-in of this program has ended. Sign in again"],
  agent_grant_unknown: [400, "This grant type is not served here"],
  not_logged_in: [401, "No permission to perform this operation, not logged in"],
  access_token_invalid: [401, "No permission to perform this operation, access token is invalid"],
  user_disabled: [401, "No permission to perform this operation, the user is disabled"],
  management_key_invalid: [
    401,
    "No permission to perform this operation, the management key is unknown, disabled or deleted",
  ],
  management_key_expired: [
    401,
    "No permission to perform this operation, the management key has expired",
  ],
  key_owner_away: [
    401,
    "No permission to perform this operation, the owner of this key has not signed in with their identity provider for too long. It works again after that sign-in",
  ],
  management_key_address: [
    403,
    "No permission to perform this operation, the management key is not for this network address",
  ],
  management_key_scope: [
    403,
    "No permission to perform this operation, the management key lacks its scope",
  ],
  management_key_not_allowed: [
    403,
    "No permission to perform this operation, which no management key may do",
  ],
  management_key_team: [
    403,
    "No permission to perform this operation, which reaches beyond the team of the management key",
  ],
  account_read_only: [
    403,
    "No permission to perform this operation, your account is for looking and changes nothing but itself",
  ],
  insufficient_role: [403, "No permission to perform this operation, insufficient permissions"],
  route_not_found: [404, "There is no such API route"],
  changed_meanwhile: [409, "This was changed by someone else meanwhile. Reload it and try again"],
  username_taken: [409, "This username is already taken"],
  email_taken: [409, "This mail address belongs to another account"],
  external_id_taken: [409, "Another one has this external_id already"],
  idempotency_key_reused: [409, "This Idempotency-Key was already used for a different request"],
  body_too_large: [413, "The request body is too large"],
  unsupported_media_type: [415, "The request body must be application/json"],
  log_export_running: [429, "Another export is still running. Wait for it or cancel it"],
  too_many_requests: [429, "Too many requests. Please wait a moment and try again"],
  sign_in_locked: [429, "Too many failed sign-in attempts. Please wait and try again"],
  sign_in_account_locked: [
    429,
    "Too many failed sign-ins to this account today. Sign in from a browser that signed in before, or reset the password by mail",
  ],
  sign_in_busy: [
    429,
    "The server is checking many passwords right now. Please try again in a moment",
  ],
  internal_error: [500, "Something went wrong on the server"],
  read_only: [
    503,
    "This server is read-only at the moment: nothing can be changed. Calls of API keys go on",
  ],
  storage_unavailable: [503, "The server cannot reach its storage right now. Please try again"],
  ...defineRefusals({
    wrong_credentials: "Username or password is incorrect",
    password_login_off: "Signing in with a password is switched off",
    totp_required: "totp_required",
    totp_invalid: "The TOTP code is incorrect",
    recovery_code_invalid: "The recovery code is incorrect or was used before",
    totp_tries_over: "Too many wrong codes. Please sign in with your password again",
    totp_already_on: "The second factor is already switched on",
    totp_not_on: "The second factor is not switched on",
    totp_setup_required: "Please set the second factor up again before confirming it",
    totp_reset_own: "Please switch your own second factor off in your personal settings",
    passkeys_off: "Passkeys need the address of this server: PUBLIC_URL with https",
    passkey_challenge_invalid: "This took too long or was used before. Please try again",
    passkey_wrong: "This passkey was not accepted",
    passkey_copied:
      "This passkey was not accepted: it may have been copied. Sign in another way, remove it and add a new one",
    passkey_taken: "This passkey is registered already",
    passkey_limit:
      "You have as many passkeys as one user may have. Remove one that is no longer used",
    passkey_not_found: "This passkey does not exist",
    management_key_not_found: "This management key does not exist",
    management_key_of_another: "Only the user who made this management key can enable it again",
    too_many_management_keys:
      "You have as many management keys as one user may have. Delete one that is no longer used",
    session_not_found: "This session does not exist or has ended",
    reauth_required: "Please confirm your current password to change this",
    current_password_wrong: "The current password is incorrect",
    password_unchanged: "The new password must differ from the current one",

    oauth_pending: "This sign-in is still being checked. Please try again in a moment",
    proxy_user_missing: "The reverse proxy named no user, or this server does not trust it",
    proxy_user_is_root:
      "The root account never signs in by the reverse proxy. Please use its password",
    proof_of_work_required: "This server asks the browser for some work first. Please try again",
    captcha_required: "This server asks for a captcha first. Please try again",
    captcha_expired: "The captcha has expired or was used before. Please try again",
    captcha_refused: "The captcha was not accepted. Please try again",
    password_at_provider:
      "Your account signs in with its identity provider, and not with a password",
    external_bound_by_rule: "The operator does not let accounts of this provider be unbound",
    external_off: "This way of signing in is switched off",
    external_unreachable: "The sign-in provider could not be reached. Please try again",
    external_refused: "The sign-in provider did not accept this sign-in. Please start again",
    external_registration_off:
      "No account here belongs to this sign-in, and new accounts cannot be created",
    account_disabled: "This account is disabled. Ask the operator of this server to enable it",
    external_code_required:
      "A code is on its way to your mail address. Enter it to connect the account that has it",
    external_user_disabled: "The account that belongs to this sign-in is disabled",
    external_taken: "This external account is already bound to another user",
    external_bound_already:
      "Another account of this provider is bound already. Please unbind it first",
    external_not_bound: "No account of this provider is bound",
    external_last_way:
      "Please set a password first: this is the only way to sign into your account",
    external_not_entitled:
      "Your account at this provider has nothing that entitles it to sign in here",
    oidc_provider_not_found: "This sign-in provider does not exist",
    oidc_slug_taken: "A sign-in provider with this short name exists already",
    oidc_client_exists:
      "A sign-in provider with this address and client id exists already. Please change it under Settings, Sign-in",
    oidc_providers_full:
      "There are as many sign-in providers as this server keeps. Delete one first",
    oidc_secret_required:
      "The provider's address or client id changed. Please enter the client secret again",
    oidc_needs_public_url:
      "Set PUBLIC_URL first: the provider sends users back to that address, and without it nothing can be registered there",
    playground_needs_session:
      "The playground key belongs to a sign-in; please sign in with the console",
    device_needs_session: "A code is approved by a person; please sign in with the console",
    device_not_found:
      "No program waits with this code. It may have expired: start again in the program",

    password_too_common: "This password is too easy to guess. Choose another one",
    registration_off: "Registration is switched off",
    mail_not_configured: "This server cannot send mail. Ask its operator for help",
    server_address_missing: "This server cannot mail links until its operator has set its address",
    email_domain_refused: "Mail addresses of this domain are not accepted here",
    email_code_required:
      "A code is on its way to the new mail address. Enter it to confirm the address",
    verification_code_invalid: "The verification code is incorrect or has expired",
    invitation_code_unknown: "This invitation code does not exist",
    reset_link_invalid: "This link has expired or was used before. Request a new one",

    user_not_found: "This user does not exist",
    user_out_of_reach: "You can only manage users whose role is lower than yours",
    user_is_yourself: "Change your own account in your personal settings",
    team_not_found: "This team does not exist",
    team_member_not_found: "This user is not a member of the team",
    team_name_taken: "A team of this name exists already",
    team_role_insufficient: "Only the admins of this team may do this",
    team_owner_only: "Only the owner of this team and administrators of the site may do this",
    team_needs_owner: "The owner stays an admin of the team. Hand the team over first",
    team_disabled: "This team is disabled. Ask an administrator of the site to enable it",
    team_viewer_without_key: "A viewer has no keys in the team. Choose another role, or no keys",
    team_member_exists: "This user is in the team already. Change the role instead",
    teams_full: "You own as many teams as a user may. An administrator can make another",
    team_key_too_long:
      "A key of a team needs an end, at the latest after the days that this site allows",
    team_member_by_provider: "A sign-in provider decides on this. Change it there",
    invitation_not_found:
      "This invitation does not exist: it may be answered, withdrawn or older than a week",
    invitation_for_other_address:
      "This invitation was sent to another mail address. Sign in to the account with that address",
    too_many_invitations: "This team has too many open invitations. Withdraw some first",
    team_cap_not_found: "The members of this team have no such budget",
    team_owes: "This team owes something. Its debt must be paid before it can be deleted",
    team_key_not_yours:
      "Only the member changes a key of their own, and only an admin of the team that of a service",
    key_offer_not_found:
      "This key is not offered to the team: it may be answered, withdrawn or older than a week",
    key_not_movable:
      "Only an API key that an account made for itself can be moved into a team or back",
    transfer_not_allowed:
      "You may move quota from your own balance into a team of which you are an admin",
    transfer_not_covered:
      "The balance does not cover this, or it owes something. Running calls set a part of it aside",
    transfers_off: "Users cannot transfer balance to each other on this site",
    transfer_recipient_unknown:
      "No user with exactly this name can receive balance. Please check how it is written",
    transfer_to_self: "This is your own account",
    recipient_full: "The balance of the recipient would be higher than a balance can be",
    root_stays: "The account of a super administrator cannot be deleted by its owner",
    role_not_allowed: "This change of role is not possible",
    quota_set_aside:
      "Running calls have set part of this quota aside. Please try again when they have ended",
    quota_too_high: "The balance would be higher than a balance can be",
    issue_limit_reached: "This is more quota than you may issue today",
    quota_waits_for_root:
      "This is more quota than you may issue today. Nothing was changed: it waits for the approval of a super administrator",
    quota_requests_full: "Too many of your requests wait for approval already",
    quota_request_not_found: "This request does not exist, or it was decided",
    no_debt: "This account owes nothing",
    redemption_not_found: "This redemption code does not exist",
    redemption_used: "This redemption code was used and is final",
    redemption_refused: "This redemption code is not valid",
    too_many_tokens:
      "You have as many tokens as this server allows. Delete one that is no longer used",
    token_not_found: "This token does not exist",
    token_key_shown_once: "This key was shown once, when it was created, and cannot be shown again",
    token_rests: "Your API keys rest until you sign in with your identity provider again",
    token_keys_hidden:
      "A replaced key could not be read by its owner: the settings show keys only at creation",
    token_old_key_works:
      "The key before this one still works. Stop it first, so that no program that uses it breaks",
    token_expired: "The token has expired. Change its expiration time before enabling it",
    token_disabled: "The token is disabled. Only a token that is not disabled can be paused",
    token_exhausted: "The token's quota is used up. Raise its quota before enabling it",
    option_unknown: "There is no such setting",
    option_fixed: "This setting cannot be changed",
    option_incomplete: "This switch needs other settings first",
    channel_not_found: "This channel does not exist",
    channel_key_not_found: "This channel has no such key",
    channel_key_required: "The address of the channel changed. Please enter the API key again",
    managed_by_file:
      "This belongs to a configuration file. Change it there, or take it over from the file first",
    not_of_this_file:
      "This exists already and does not belong to this file. Apply with --adopt to take it over",
    configuration_ambiguous: "Several have this name. Give the one that is meant an externalId",
    configuration_twice: "The file names this twice",
    channel_one_key:
      "The key has several lines: one channel takes one key unless multi_key is set in its config",
    channel_header_required: "Please enter the values of the custom headers again",
    channel_test_failed: "Channel test failed",
    channel_balance_failed: "The balance could not be read",
    channel_balance_unsupported: "This channel type has no balance call",
    channel_job_running: "This is already running",
    channel_job_not_found: "This background job does not exist",
    cost_report_not_found: "This channel has no report key",
    cost_report_unsupported: "Costs can only be read from OpenAI, Anthropic and OpenRouter",
    cost_report_key_required: "Please enter the report key",
    cost_report_channel_taken: "One of these channels belongs to another report",
    cost_report_just_read: "The costs of this channel were read a moment ago. Please wait a minute",
    virtual_model_not_found: "This virtual model does not exist",
    virtual_model_name_taken: "A virtual model of this name exists already",
    virtual_model_replaces:
      "Channels serve a model of this name. Confirm that calls to it go to the targets instead",
    virtual_model_chained: "A virtual model cannot be the target of another one",
    virtual_models_full:
      "There are as many virtual models as this server keeps. Delete one that is no longer used",
    mcp_server_not_found: "This MCP server does not exist",
    mcp_server_name_taken: "An MCP server of this name exists already",
    mcp_servers_full:
      "There are as many MCP servers as this gateway keeps. Delete one that is no longer used",
    mcp_headers_required: "Please enter the headers again: they were entered for another host",
    budget_not_found: "This budget does not exist",
    budget_grant_out_of_range:
      "No more can be taken back than was granted for this window, and no more granted than a budget can hold",
    budget_takes_no_requests:
      "More can be asked for by those whom a budget limits, where the budget is set to it and refuses calls",
    budget_request_not_found: "This request does not exist, or was decided already",
    budget_template_not_found: "This budget template does not exist",
    budget_templates_full:
      "There are as many budget templates as one group, or the gateway, may have. Delete one that is no longer used",
    budgets_full:
      "There are as many budgets as one subject may have. Delete one that is no longer used",
    alert_not_found: "This alert does not exist",
    destination_not_found: "This destination does not exist",
    destination_not_signed: "Only a webhook has a signing secret that this server makes",
    destinations_full:
      "There are as many destinations as this server keeps. Delete one that is no longer used",
    destination_verified: "This destination is verified already",
    destination_unverified: "Type the code that was sent to this destination first",
    notice_not_found: "This notice does not exist, or it is still on its way",
    site_import_missing: "There is no import. Name its source first",
    site_import_running: "An import is running. Wait for its end, or stop it first",
    site_import_without_source:
      "The source of this import is gone. Begin a new one of the same name",
    site_import_part:
      "This part does not continue the file. Ask how much of it has arrived, and go on from there",
    site_import_too_large: "The file is larger than 4 GiB. Use the command import on the server",
    site_import_no_room: "There is no room for the file on the server's disk",
    model_price_unknown: "The price package does not know this model",
    model_price_out_of_range: "The price would be higher than this server accepts",
    bulk_unchanged: "It is so already",
    channel_last_model: "The channel would be left without a model. Disable or delete it instead",
    channel_model_missing: "The channel does not offer this model",
    channel_several_keys: "The channel has several keys. Replace them on its own page",
    channel_other_destination:
      "The channel sends its key to another address than the first one that was chosen",
    channel_models_too_long: "The list of models would be too long",
    log_not_found: "This log entry does not exist",
    run_not_found: "This run does not exist",
    body_not_found: "Nothing is kept of the contents of this call",
    body_missing: "The contents of this call are not stored yet, or they were lost",
    body_unavailable:
      "The place where contents of calls are kept does not answer. Please try again",
    bodies_off: "This server keeps no contents of calls: its operator has not set CALL_BODIES",
    trace_not_found: "No trace information available for this log entry.",
  }),
});

export type ErrorCode = keyof typeof errorTable;

export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === "string" && Object.hasOwn(errorTable, code);

export function buildMeaning(code: ErrorCode): ErrorMeaning {
  const [status, message] = errorTable[code];
  return { status, message };
}
