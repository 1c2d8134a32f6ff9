import type { MailTexts } from "./mail-texts.ts";

export const mailTextsFr: MailTexts = {
  verification: {
    subject: "Votre code de vérification",
    before: ["Votre code de vérification :"],
    after: [
      "Il fonctionne une fois, pendant 10 minutes. Si vous ne l’avez pas demandé, vous pouvez ignorer cet e-mail.",
    ],
  },
  alreadyRegistered: {
    subject: "Vous avez déjà un compte",
    before: [
      "Un code de vérification a été demandé pour cette adresse, qui appartient déjà à un compte.",
      "Connectez-vous à ce compte ou réinitialisez son mot de passe. Si ce n’était pas vous, vous pouvez ignorer cet e-mail.",
    ],
  },
  passwordReset: {
    subject: "Réinitialisez votre mot de passe",
    before: ["Suivez ce lien pour choisir un nouveau mot de passe :"],
    after: [
      "Il fonctionne une fois, pendant 10 minutes. Si vous ne l’avez pas demandé, vous pouvez ignorer cet e-mail : rien n’a changé.",
    ],
  },
  passwordChanged: ({ isByLink, passkeys }) => ({
    subject: "Votre mot de passe a été modifié",
    before: [
      isByLink
        ? "Le mot de passe de votre compte a été modifié par un lien envoyé par e-mail, et toutes ses sessions ont été déconnectées."
        : "Le mot de passe de votre compte a été modifié, et toutes ses autres sessions ont été déconnectées.",
      ...(passkeys === ""
        ? []
        : [
            `Ces clés d’accès permettent toujours de se connecter sans le mot de passe : ${passkeys}. Supprimez dans votre compte celles que vous ne connaissez pas.`,
          ]),
      "Si ce n’était pas vous, demandez immédiatement de l’aide à l’exploitant de ce serveur.",
    ],
  }),
  addressChanged: {
    subject: "Votre adresse e-mail a été modifiée",
    before: [
      "Votre compte a désormais une autre adresse e-mail, et celle-ci ne lui appartient plus.",
      "Si ce n’était pas vous, changez votre mot de passe et demandez immédiatement de l’aide à l’exploitant de ce serveur.",
    ],
  },
  passkeyCopied: ({ name }) => ({
    subject: "L’une de vos clés d’accès a été refusée",
    before: [
      `Une connexion à votre compte avec la clé d’accès « ${name} » a été refusée : son appareil compte moins qu’avant, comme le ferait une copie.`,
      "Connectez-vous autrement, supprimez cette clé d’accès dans vos paramètres personnels et ajoutez-en une nouvelle.",
    ],
  }),
  providerLink: ({ provider, username }) => ({
    subject: "Associez votre connexion",
    before: [
      `Vous vous êtes connecté avec ${provider}, et le compte ${username} a votre adresse e-mail. Ce code associe les deux :`,
    ],
    after: [
      "Il fonctionne une fois, pendant 10 minutes. Si vous ne venez pas de vous connecter, ignorez cet e-mail et ne donnez le code à personne.",
    ],
  }),
  providerLinked: ({ provider }) => ({
    subject: "Un fournisseur d’identité a été associé à votre compte",
    before: [
      `Une connexion avec ${provider} a trouvé votre compte par son adresse e-mail, que le fournisseur a vérifiée. Elle ouvre désormais le compte.`,
      "Si ce n’était pas vous, prévenez l’administrateur de ce serveur.",
    ],
  }),
  teamInvitation: ({ team, inviter, days }) => ({
    subject: `Invitation dans l’équipe ${team}`,
    before: [
      `${inviter} vous invite dans l’équipe ${team}. Ses membres partagent un solde pour les appels à l’API.`,
    ],
    after: [
      `Le lien fonctionne une seule fois, pendant ${days} jours, et pour un compte avec cette adresse e-mail.`,
      "Si vous ne connaissez pas l’expéditeur, ignorez cet e-mail. Rien ne se passe sans votre réponse.",
    ],
  }),
  lowBalance: ({ username, left }) => ({
    subject: "Votre solde est faible",
    before: [
      `Le solde du compte ${username} est descendu à ${left}.`,
      "Lorsqu’il sera épuisé, les appels avec ses jetons seront refusés.",
    ],
  }),
  tokenDisabled: ({ name }) => ({
    subject: "L’une de vos clés API a été désactivée",
    before: [
      `Un administrateur a désactivé votre clé API « ${name} ».`,
      "Les programmes qui l’utilisent sont refusés.",
    ],
  }),
  tokenPaused: ({ name }) => ({
    subject: "L’une de vos clés API a été suspendue",
    before: [
      `Un administrateur a suspendu votre clé API « ${name} ».`,
      "Les programmes qui l’utilisent sont refusés jusqu’à ce que quelqu’un la rétablisse.",
    ],
  }),
  keysPaused: ({ budget }) => ({
    subject: "Un budget a suspendu vos clés API",
    before: [
      `Le budget « ${budget} » est épuisé : les clés API qu’il limite ont été suspendues.`,
      "Les programmes qui les utilisent sont refusés jusqu’à ce que quelqu’un les rétablisse.",
    ],
  }),
  budgetAsked: ({ budget, username, amount, reason }) => ({
    subject: `${username} demande une rallonge du budget ${budget}`,
    before: [
      `${username} demande ${amount} de plus pour le budget « ${budget} » dans sa période en cours.`,
      ...(reason === "" ? [] : [`Motif : ${reason}`]),
    ],
    after: ["Ce que vous accordez prend fin avec la période."],
  }),
  budgetAnswered: ({ budget, granted }) =>
    granted === null
      ? {
          subject: `Votre demande concernant le budget ${budget} a été refusée`,
          before: [`Rien n’a été ajouté au budget « ${budget} » dans sa période en cours.`],
        }
      : {
          subject: `Le budget ${budget} a été augmenté`,
          before: [
            `Vous pouvez dépenser ${granted} de plus du budget « ${budget} » dans sa période en cours.`,
          ],
        },
  keyPausedBySpike: ({ key, spent, usual }) => ({
    subject: "L’une de vos clés API a été suspendue",
    before: [
      `La clé API « ${key} » a été suspendue : elle a dépensé ${spent} aujourd’hui (UTC), contre ${usual} un jour ordinaire.`,
      "Les programmes qui l’utilisent sont refusés jusqu’à ce que quelqu’un la rétablisse.",
    ],
  }),
  tokenReplaced: ({ name }) => ({
    subject: "L’une de vos clés API a été remplacée",
    before: [
      `Un administrateur a remplacé votre clé API « ${name} », et l’ancienne est refusée.`,
      "Connectez-vous, copiez la nouvelle clé et placez-la dans les programmes qui utilisaient l’ancienne.",
    ],
  }),
  tokenRotated: ({ name, end }) => ({
    subject: "Votre clé API a une nouvelle valeur",
    before: [
      `Votre clé API « ${name} » a reçu une nouvelle valeur depuis votre compte.`,
      end === null
        ? "L’ancienne est refusée dès maintenant."
        : `L’ancienne fonctionne jusqu’au ${end}. Placez la nouvelle dans vos programmes avant cette date.`,
    ],
    after: ["Si ce n’était pas vous, changez votre mot de passe et désactivez la clé."],
  }),
  notices: {
    channel_disabled: ({ channel, reason }) => ({
      subject: `Canal ${channel} désactivé`,
      before: [`Le canal ${channel} a été désactivé automatiquement. ${reason}`],
    }),
    channel_enabled: ({ channel }) => ({
      subject: `Canal ${channel} activé`,
      before: [`Le canal ${channel} a été réactivé : son test a réussi`],
    }),
    channel_suspended: ({ channel, model, reason, minutes }) => ({
      subject: `Canal ${channel} suspendu`,
      before: [
        `Les appels de ${model} au canal ${channel} échouent depuis ${minutes} minutes (${reason}). La passerelle l’évite quand un autre canal peut répondre, et l’essaie de temps en temps.`,
      ],
    }),
    channel_key_disabled: ({ channel, place, hint, reason }) => ({
      subject: `Une clé du canal ${channel} désactivée`,
      before: [
        `La clé ${place} (…${hint}) du canal ${channel} a été désactivée automatiquement. ${reason}`,
      ],
    }),
    call_not_covered: ({ channel, calls }) => ({
      subject: `Canal ${channel} : un appel a coûté plus que ce qui était couvert`,
      before: [
        `Un appel du canal ${channel} a coûté plus que sa réserve, le solde et la dette qu’un compte peut avoir. Le reste a été passé en perte ; la ligne du journal indique le montant. Appels de ce type en un jour : ${calls}.`,
      ],
    }),
    usage_capped: ({ channel }) => ({
      subject: `Usage du canal ${channel} plafonné`,
      before: [
        `Le canal ${channel} a déclaré plus d’usage qu’un appel ne peut en avoir ; le plafond a été facturé. Ses lignes de journal portent la marque usage_capped.`,
      ],
    }),
    quota_waits: ({ administrator, amount }) => ({
      subject: "Du quota attend votre approbation",
      before: [
        `L’administrateur ${administrator} veut émettre ${amount}, plus que ce qu’AdminIssueLimit autorise aujourd’hui.`,
      ],
    }),
    budget_asked: ({ username, budget, amount }) => ({
      subject: `${username} demande une rallonge du budget ${budget}`,
      before: [
        `${username} demande ${amount} de plus pour le budget « ${budget} » dans sa période en cours.`,
      ],
    }),
    team_without_admin: ({ team }) => ({
      subject: `L’équipe ${team} n’a plus d’administrateur`,
      before: [
        `Aucun administrateur de l’équipe ${team} n’a de compte activé. Ses clés fonctionnent toujours, mais personne dans l’équipe ne peut gérer les membres, les clés et les budgets.`,
      ],
    }),
    channel_balance_low: ({ channel, dollars }) => ({
      subject: `Le solde du canal ${channel} est bas`,
      before: [
        `Le fournisseur du canal ${channel} indique un solde de ${dollars}. Une fois épuisé, les appels de ce canal échouent.`,
      ],
    }),
    model_unserved: ({ model }) => ({
      subject: `Aucun canal ne sert ${model}`,
      before: [
        `Le modèle ${model} a été appelé aujourd’hui et tous les canaux qui le proposent sont désactivés ou suspendus. Ses appels échouent.`,
      ],
    }),
    calls_failing: ({ model, calls, failed }) => ({
      subject: `Les appels de ${model} échouent`,
      before: [`${failed} appels sur ${calls} du modèle ${model} ont échoué en une heure environ.`],
    }),
    calls_slow: ({ model, medianMs, usualMs }) => ({
      subject: `Les appels de ${model} sont lents`,
      before: [
        `Le premier contenu des appels de ${model} arrive après ${medianMs} ms (médiane d’une heure environ). À cette heure, c’était ${usualMs} ms ces sept derniers jours.`,
      ],
    }),
    spend_spiking: ({ key, username, spent, usual, isPaused }) => ({
      subject: `La clé API ${key} dépense plus que d’ordinaire`,
      before: [
        `La clé API « ${key} » de ${username} a dépensé ${spent} aujourd’hui (UTC). Un jour ordinaire, elle dépense ${usual}.`,
        ...(isPaused
          ? [
              "La clé API a été suspendue. Elle fonctionnera de nouveau quand son propriétaire ou un administrateur la rétablira.",
            ]
          : []),
      ],
    }),
    price_missing: ({ model }) => ({
      subject: `${model} n’a pas de prix indiqué`,
      before: [
        `Le modèle ${model} a été appelé aujourd’hui et aucun prix n’est indiqué pour lui : ni par vous, ni par son canal, ni par la liste de prix. Ses appels sont facturés au prix par défaut.`,
      ],
    }),
    price_mismatch: ({ channel, ours, theirs }) => ({
      subject: `Canal ${channel} : son fournisseur facture autre chose`,
      before: [
        `Selon nos prix, les appels du canal ${channel} ont coûté ${ours} les derniers jours que son fournisseur a clos. Le fournisseur a facturé ${theirs}.`,
      ],
    }),
    model_retiring: ({ model, endsOn, calls, users, replacement }) => ({
      subject: `${model} prend fin le ${endsOn}`,
      before: [
        `Le fournisseur retire le modèle ${model} le ${endsOn} (UTC). En 14 jours, il a répondu à ${calls} appels ; utilisateurs qui l’ont appelé : ${users}.`,
        ...describeReplacement(replacement),
      ],
    }),
    own_model_retiring: ({ model, endsOn, calls, replacement }) => ({
      subject: `${model} prend fin le ${endsOn}`,
      before: [
        `Son fournisseur retire le modèle ${model} le ${endsOn} (UTC). Vos clés d’API l’ont appelé ${calls} fois en 14 jours ; dès lors, ces appels échouent.`,
        ...describeReplacement(replacement),
      ],
    }),
    prices_changed: ({ models, model, list }) => ({
      subject: "Des prix ont changé",
      before: [
        `La liste de prix ${list} modifie de plus d’un cinquième les prix de modèles utilisés : ${models}, dont ${model}. Rien ne change avant que root ne les adopte sur la page des prix.`,
      ],
    }),
    ledger_drifts: ({ findings, first }) => ({
      subject: "Les comptes ne concordent pas",
      before: [`L’audit quotidien des comptes a trouvé ${findings} écarts. Le premier : ${first}.`],
    }),
    trail_broken: ({ fault }) => ({
      subject: "L’historique des modifications est altéré",
      before: [
        `La vérification quotidienne de l’historique des modifications a trouvé un défaut : ${fault}.`,
      ],
    }),
    disk_low: ({ gigabytes, percent }) => ({
      subject: "Le disque est presque plein",
      before: [
        `Il reste ${gigabytes} Go sur le disque de la base de données, soit ${percent} %. Lorsqu’il sera plein, les appels seront refusés.`,
      ],
    }),
    backup_old: ({ last, hours }) => ({
      subject: "La dernière sauvegarde est trop ancienne",
      before: [
        last === ""
          ? `Aucune sauvegarde de la base de données n’est connue, et il devrait y en avoir une toutes les ${hours} heures.`
          : `La dernière sauvegarde de la base de données date du ${last}, et il devrait y en avoir une toutes les ${hours} heures.`,
      ],
    }),
    clock_behind: ({ minutes }) => ({
      subject: "L’horloge est en retard sur les dernières entrées",
      before: [
        `Les dernières entrées de la base de données ont ${minutes} minutes d’avance sur l’horloge de la passerelle. Les nouveaux appels s’affichent avec leur heure exacte, mais les totaux par heure et par jour les comptent plus tard jusqu’à ce que l’horloge les ait rattrapés ; les montants sont justes. Si l’horloge est fausse, réglez-la par NTP.`,
      ],
    }),
    database_refused: ({ minutes, message }) => ({
      subject: "La base de données n’a pas fonctionné",
      before: [
        `La base de données n’a rien accepté pendant ${minutes} minutes et fonctionne de nouveau. Elle a répondu : ${message}`,
      ],
    }),
    root_signed_in: ({ username, network }) => ({
      subject: `${username} s’est connecté depuis un nouveau réseau`,
      before: [
        `Le super-administrateur ${username} s’est connecté depuis le réseau de ${network}, d’où ce compte ne s’était pas encore connecté.`,
      ],
    }),
    sign_ins_locked: ({ locks }) => ({
      subject: "De nombreuses connexions sont bloquées",
      before: [
        `Au moins ${locks} connexions ont été bloquées en une heure, chacune après des échecs répétés.`,
      ],
    }),
    budget_reached: ({ budget, percent, spent, amount }) => ({
      subject: `Budget ${budget} : ${percent} % atteints`,
      before: [
        `Le budget ${budget} a atteint ${percent} % dans sa période en cours : ${spent} sur ${amount} sont dépensés.`,
      ],
    }),
    job_failing: ({ job }) => ({
      subject: `Une tâche de fond échoue : ${job}`,
      before: [`La tâche de fond « ${job} » a échoué plusieurs fois de suite.`],
    }),
    notices_failing: ({ destination, answer }) => ({
      subject: `Les avis à ${destination} échouent`,
      before: [
        `La destination ${destination} n’a accepté aucun avis depuis une heure. Sa dernière réponse : ${answer}`,
      ],
    }),
    wallet_low: ({ username, left, threshold }) => ({
      subject: "Votre solde est bas",
      before: [
        `Le solde du compte ${username} n’est plus que de ${left}, sous le seuil de ${threshold}.`,
      ],
    }),
    key_expiring: ({ key, until }) => ({
      subject: `La clé d’API ${key} expire bientôt`,
      before: [
        `Votre clé d’API « ${key} » expire le ${until}. Les programmes qui l’utilisent seront alors refusés.`,
      ],
    }),
    key_expired: ({ key }) => ({
      subject: `La clé d’API ${key} a expiré`,
      before: [`Votre clé d’API « ${key} » a expiré. Les programmes qui l’utilisent sont refusés.`],
    }),
    management_key_expiring: ({ key, until }) => ({
      subject: `La clé de gestion ${key} expire bientôt`,
      before: [
        `Votre clé de gestion « ${key} » expire le ${until}. Créez-en une autre pour ses programmes, qui seront alors refusés.`,
      ],
    }),
    management_key_expired: ({ key }) => ({
      subject: `La clé de gestion ${key} a expiré`,
      before: [
        `Votre clé de gestion « ${key} » a expiré. Les programmes qui l’utilisent sont refusés.`,
      ],
    }),
  },
  remedies: {
    "channel.disabled":
      "Supprimez la cause chez le fournisseur, puis testez le canal et activez-le.",
    "channel.suspended":
      "Consultez l’état du fournisseur, testez le canal et désactivez-le tant que cela dure.",
    "channel.key_disabled":
      "Remplacez la clé dans le canal, ou activez-la dès que le fournisseur l’accepte de nouveau.",
    "channel.balance_low":
      "Rechargez le compte chez le fournisseur, ou laissez un autre canal servir ses modèles.",
    "model.unserved": "Activez un canal de ce modèle, ou ajoutez-en un.",
    "calls.failing": "Consultez les journaux de ce modèle et testez les canaux qui le servent.",
    "calls.slow":
      "Comparez sur le tableau de bord la latence des canaux de ce modèle et préférez-en un plus rapide.",
    "spend.spike":
      "Si cette dépense n’est pas voulue, désactivez la clé ; sinon, donnez-lui une limite adaptée.",
    "price.missing":
      "Indiquez son prix sur la page des prix, ou dans la configuration de son canal.",
    "price.mismatch":
      "Comparez les jours et les modèles sur la page du rapport de coûts du canal, et corrigez les prix.",
    "model.retiring": "Proposez un modèle plus récent et conservez le nom avec un modèle virtuel.",
    "price.changed":
      "Regardez les différences sur la page des prix et adoptez celles qui sont justes.",
    "ledger.drift":
      "Exécutez « tollgate audit », qui nomme chacun, et signalez-le : seul un défaut ou une intervention dans la base de données en cause.",
    "trail.broken":
      "Comparez avec une sauvegarde pour savoir depuis quand, et vérifiez qui peut écrire dans la base de données. « tollgate audit --trail » montre jusqu’où va la chaîne.",
    "storage.trouble":
      "Selon ce qui est indiqué : libérez de l’espace ou conservez moins de jours les journaux et les traces ; faites de nouveau tourner les sauvegardes ; consultez le journal de la base de données.",
    "sign_in.root":
      "Si ce n’était pas vous, mettez fin à toutes les connexions de ce compte, changez son mot de passe et lisez le journal des modifications.",
    "sign_in.lockouts":
      "Des mots de passe sont peut-être devinés : exigez des seconds facteurs et limitez qui atteint la console.",
    "budget.reached":
      "Si ces dépenses sont voulues, augmentez le budget ; sinon, les journaux montrent ce qui les cause.",
    "call.not_covered":
      "Vérifiez les prix des modèles du canal et la plus longue réponse que ses appels peuvent demander.",
    "usage.capped": "Comparez ces appels aux chiffres du fournisseur.",
    "quota.waiting": "Approuvez ou refusez sur la page Utilisateurs.",
    "budget.asked": "Accordez-la ou refusez-la sur la page Budgets.",
    "team.without_admin":
      "Sur la page de l’équipe, nommez un membre administrateur et propriétaire, ou activez le compte d’un administrateur de l’équipe.",
    "job.failing":
      "Le journal de la passerelle en donne la raison. La tâche est relancée d’elle-même.",
    "notice.failing":
      "Testez la destination. Si son adresse ou son jeton n’est plus valable, supprimez-la et ajoutez-la de nouveau.",
    "wallet.low": "Rechargez votre compte : une fois le solde épuisé, les appels sont refusés.",
    "key.expiring": "Donnez à la clé une fin plus tardive ou remplacez-la dans vos programmes.",
    "own_budget.reached":
      "Si la dépense est voulue, augmentez la limite ou demandez-le ; sinon, cherchez-en la cause dans vos journaux.",
    "own_model.retiring": "Choisissez un autre modèle dans vos programmes avant ce jour.",
  },
  alertResolved: ({ subject }) => ({
    subject: `Résolu : ${subject}`,
    before: ["Ce n’est plus le cas."],
  }),
  alertReminder: ({ subject }) => ({
    subject: `Toujours en cours : ${subject}`,
    before: ["C’est le cas depuis un jour."],
  }),
  alertFlapping: ({ subject }) => ({
    subject: `Instable : ${subject}`,
    before: [
      "Cela a commencé et cessé plusieurs fois en une heure. Vous serez informé de nouveau après une heure de stabilité.",
    ],
  }),
  alertDigest: ({ count }) => ({
    subject: `${count} alertes`,
    before: ["Plusieurs alertes sont arrivées ensemble :"],
  }),
  alertExample: {
    subject: "Exemple d’avis",
    before: ["Ceci est un exemple : les avis de ce serveur vous parviennent ici."],
  },
  destinationCode: ({ code }) => ({
    subject: "Code pour vos notifications",
    before: [
      `Votre code est ${code}. Saisissez-le dans la console pour recevoir vos notifications ici.`,
      "Il sert une fois, pendant 10 minutes. Si vous ne l’avez pas demandé, ignorez ce message.",
    ],
  }),
};

const describeReplacement = (replacement = ""): string[] =>
  replacement === "" ? [] : [`À sa place : ${replacement}.`];
