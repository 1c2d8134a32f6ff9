import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { testLarge } from "@tollgate/tests/support/large-tests.ts";
import { testDatabases } from "@tollgate/tests/support/test-databases.ts";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Database, StorageUnavailable } from "./database.ts";
import {
  migratePostgres,
  migrateSqlite,
  planMigrations,
  readChecksum,
  SchemaError,
} from "./migrate.ts";
import { migrations } from "./migration-list.ts";
import type { Migration } from "./migrations/migration.ts";
import { openDatabase, readSqliteFile } from "./open-database.ts";

const both = (id: number, ...statements: string[]): Migration => ({
  id,
  name: `step ${id}`,
  sqlite: statements,
  postgres: statements,
});
/**
 * Never edit a line of this list: an installation that runs the migration would refuse to start.
 */
const released = [
  [
    12,
    "420d36418c3f7c9f477efbfbc09815d989cbe0fba335ef93c51a5caef3b3e92b",
    "d096f368953400a99d07334cf42dee23a0cf36f7f7f9369da7e88ee0ea90258e",
  ],
  [
    13,
    "094cd67444033b21abfd371d8abb63db1d1ca4a88983b4d168727d6251c84a39",
    "094cd67444033b21abfd371d8abb63db1d1ca4a88983b4d168727d6251c84a39",
  ],
  [
    14,
    "9dd5ff13f0f006f6a5ff387765bfdf0e197b696e27e77ed66b5b56c5c322fa0e",
    "9dd5ff13f0f006f6a5ff387765bfdf0e197b696e27e77ed66b5b56c5c322fa0e",
  ],
  [
    15,
    "dd23f317e7673744eab3be50291304c6a2b77ee135b7a66552c828fc4e7cf003",
    "dd23f317e7673744eab3be50291304c6a2b77ee135b7a66552c828fc4e7cf003",
  ],
  [
    16,
    "dd4aaf65a91bb1c4c358bb8f8d81d4ff86412d801a05ddbc001d11244c56c7dd",
    "8975cb9c877873a89ec499835aa405d249e2c4ac7ee867714bc0215dc3a97078",
  ],
  [
    17,
    "dfbc3df77bcb767ba2d968865c0d138c9b36deb2c4a3bdacc8a321c9a255901a",
    "dfbc3df77bcb767ba2d968865c0d138c9b36deb2c4a3bdacc8a321c9a255901a",
  ],
  [
    18,
    "23416a6352ea4ff15398e71dc4435a1c9aae4a7b902803a35f43f08a8c78f5b1",
    "23416a6352ea4ff15398e71dc4435a1c9aae4a7b902803a35f43f08a8c78f5b1",
  ],
  [
    19,
    "ddd00a3e16e0ad31f03d8fa54b808189b24b52d26f1739f1a54343325caebced",
    "ddd00a3e16e0ad31f03d8fa54b808189b24b52d26f1739f1a54343325caebced",
  ],
  [
    20,
    "5a359d42b72b864016b06c3da1f819c756c7916652d4e9525da3146254c66a3e",
    "657e365ba3eacd5ff7999e96ba74edf5971d8d9e14dbe2f3969ba887f085e086",
  ],
  [
    21,
    "14e69c985b63be27f6ac8db8fb793446c9c78a7b2e61919f4ef11388e923b827",
    "14e69c985b63be27f6ac8db8fb793446c9c78a7b2e61919f4ef11388e923b827",
  ],
  [
    22,
    "a3b7f629a73798df66eef14b89e45941087444b3f297ccc934703b1f899b4200",
    "a3b7f629a73798df66eef14b89e45941087444b3f297ccc934703b1f899b4200",
  ],
  [
    23,
    "c0974ebae516a393b1c9ab281a58317c63bd434aad8b8c13024312cc6424f367",
    "c0974ebae516a393b1c9ab281a58317c63bd434aad8b8c13024312cc6424f367",
  ],
  [
    24,
    "1b03f688b8a60488603d87614a8c1e92bf6549f757158554543fd2ef2b989d83",
    "1b03f688b8a60488603d87614a8c1e92bf6549f757158554543fd2ef2b989d83",
  ],
  [
    25,
    "18943250df0bea47cb45594834414d1b51434823511defe0fd01764a8e4fc482",
    "18943250df0bea47cb45594834414d1b51434823511defe0fd01764a8e4fc482",
  ],
  [
    26,
    "8e606287ff52bff3fae248dbb98e79173560d946c031ad892ff3a2f1e1320f90",
    "8e606287ff52bff3fae248dbb98e79173560d946c031ad892ff3a2f1e1320f90",
  ],
  [
    27,
    "501c21fe73426255e6f8a81ac04279c65a48fb4a0ba5606eaa4f80de45519671",
    "14e125a115530bfa2297e7b40b123cc8c6829588f796b96f62c132585ef8f4c6",
  ],
  [
    28,
    "4ad61f4c5629e63a9feade9707f4c82890a6ff645baa0a077f1509811fc85ead",
    "59f293533628c621caff121e12d20fa71d2769288fcc117d255d9f8bccfc7f43",
  ],
  [
    29,
    "41fc024f43e9410c4597626a44ae858bac060c58dc713d2baa0060c9e6c0273f",
    "41fc024f43e9410c4597626a44ae858bac060c58dc713d2baa0060c9e6c0273f",
  ],
  [
    30,
    "211aeeee0a2c6ac2b8df2d4ddaf82cd88b8728dc538173943ddac2b7156b89e0",
    "211aeeee0a2c6ac2b8df2d4ddaf82cd88b8728dc538173943ddac2b7156b89e0",
  ],
  [
    31,
    "176cc4d091d8b45041625dd263e35dff0ca54e97a31487628e05644fe0ffe763",
    "9965bc3522c5d24716b88c99da5a3198b287ea8d0da9365aaaf300febef5386d",
  ],
  [
    32,
    "90a75de293a3cb42f928baeb05b44cd8f096f0f8587120ee3f1e9038e2e9b9ec",
    "3ec690a1aa48e25ef472b2f7b088d4a04dbf3e4d0f82fb53582e7ade3bec0151",
  ],
  [
    33,
    "4ac571766d4734e9040b348144b5c60f88955fc5a98f182d70ec93c67060c05e",
    "7aa91d6d241c906280b3f535ddf9e92cff61e740664e493610d8805d5eb4b946",
  ],
  [
    34,
    "1313867da3da1afd257fa34eed48cd926163da2b3fe84b6cd91bb7a1e00c4850",
    "1313867da3da1afd257fa34eed48cd926163da2b3fe84b6cd91bb7a1e00c4850",
  ],
  [
    35,
    "15b276e0907d3337967c624ad381f901fb08b93cfae2525ef262309860068160",
    "15b276e0907d3337967c624ad381f901fb08b93cfae2525ef262309860068160",
  ],
  [
    36,
    "0ebbada4126d5b82466c832cbd13a362c5f48594c25240f4812776a89da34932",
    "0ebbada4126d5b82466c832cbd13a362c5f48594c25240f4812776a89da34932",
  ],
  [
    37,
    "648d4eab95799e076724838623647802930ae91afb7491414c86206719cd55b7",
    "648d4eab95799e076724838623647802930ae91afb7491414c86206719cd55b7",
  ],
  [
    38,
    "fa952f31ab00a4028a09bc3d34fa25cdeadb0f3d7cd42f376a812a4ec8b92257",
    "fa952f31ab00a4028a09bc3d34fa25cdeadb0f3d7cd42f376a812a4ec8b92257",
  ],
  [
    39,
    "9550cf1d2e2bd9a2c30cde6cc74a310ed6ef52f7179713218ee7bef0c4c3c853",
    "9550cf1d2e2bd9a2c30cde6cc74a310ed6ef52f7179713218ee7bef0c4c3c853",
  ],
  [
    40,
    "3b14d23ca94b19693808cf8c0225a6ee8d1478a09aeb362cbda8df836c7e68d9",
    "3b14d23ca94b19693808cf8c0225a6ee8d1478a09aeb362cbda8df836c7e68d9",
  ],
  [
    41,
    "14b49cfaa9a746a51e8f12417295d26dba7e7209d328bc4f0774e3dd8e7a7176",
    "0693c5b1612c83b873ac9ce197655116f5bae7a45ae9fb5f6deb6659a5b2df96",
  ],
  [
    42,
    "2e766d157b5b512874c944808d732aaa87bb3010e781affe09c88e074f4bb796",
    "2e766d157b5b512874c944808d732aaa87bb3010e781affe09c88e074f4bb796",
  ],
  [
    43,
    "12e594cf90cc27c2b053b93d8e0aa273d7d3a60f227bdd82b03d8cfe7bd553ea",
    "12e594cf90cc27c2b053b93d8e0aa273d7d3a60f227bdd82b03d8cfe7bd553ea",
  ],
  [
    44,
    "4c2132d5f8f577bde7586726aad3d6e76933657839cef24c36e29d6439ee9e4a",
    "4c2132d5f8f577bde7586726aad3d6e76933657839cef24c36e29d6439ee9e4a",
  ],
  [
    45,
    "09e59d651ed684e209d70328107e6706f5fc66a97d103cdddc98d3dc914725b3",
    "09e59d651ed684e209d70328107e6706f5fc66a97d103cdddc98d3dc914725b3",
  ],
  [
    46,
    "3a378459f4dfb49945371a3e80d8858527bf6594d274e4bb388005825c74d508",
    "3a378459f4dfb49945371a3e80d8858527bf6594d274e4bb388005825c74d508",
  ],
  [
    47,
    "0e7b1ef71e20ce98de2523e3eebca35b42db700311d67a5b890815b1d930af26",
    "0e7b1ef71e20ce98de2523e3eebca35b42db700311d67a5b890815b1d930af26",
  ],
  [
    48,
    "1260096c70043793903b234462b4bd03ffdc9e97fb8f6178cbd9b38b23c8ed4e",
    "1260096c70043793903b234462b4bd03ffdc9e97fb8f6178cbd9b38b23c8ed4e",
  ],
  [
    49,
    "5fc39c174572205a9a18f63629898b8ba7d8b3ec0ccf41ef2114a8f60ea8d624",
    "1a642cac2ebe2a1729ffebd7e90f472702fb4b9abe86691199f1c19b6bfeac9b",
  ],
  [
    50,
    "d597dedeacdf53c50bfcf547b8a212c4f9de22d6598e378c934fffce8bb9debd",
    "d597dedeacdf53c50bfcf547b8a212c4f9de22d6598e378c934fffce8bb9debd",
  ],
  [
    51,
    "bd1aba0c8557a258c84cbb20f7656444794a4e92c9ef6784c5f923531fe42768",
    "bd1aba0c8557a258c84cbb20f7656444794a4e92c9ef6784c5f923531fe42768",
  ],
  [
    52,
    "28d394671f39f04b328eed85d97cbbf6c46416e928b5ea2da4946cd757b2c106",
    "28d394671f39f04b328eed85d97cbbf6c46416e928b5ea2da4946cd757b2c106",
  ],
  [
    53,
    "ff80ffebf2b623e6d8b1ed0e4f69e20883cf1ce3fd312ee50cfdd62050888a5f",
    "dd7309dd2f234be704e96481da9d9bd50e27e9aec59a9e4c53428d989dcb7d50",
  ],
  [
    54,
    "68fa2440b5d235351cbfbca86292ababde562d7933a778b6be0ca40a2cf4564e",
    "68fa2440b5d235351cbfbca86292ababde562d7933a778b6be0ca40a2cf4564e",
  ],
  [
    55,
    "942cf7e0ea9b99bb864c8c3d1f7faae4f25c6892aebd5fd09054eddfae328770",
    "942cf7e0ea9b99bb864c8c3d1f7faae4f25c6892aebd5fd09054eddfae328770",
  ],
  [
    56,
    "327cb1454f5efbd025f279fc143c42ff89cae0a7dcd7c6b04f83dde2188b6e84",
    "327cb1454f5efbd025f279fc143c42ff89cae0a7dcd7c6b04f83dde2188b6e84",
  ],
  [
    58,
    "0d9b0c595eab2ca1d158b60b826c28cb8f59bb3df9cbdc28df85c2fb13e3bfb7",
    "12571feb7b6fdf06b0f25bfae9a5ad87f322f89cedb28327ec4dbc55af6b6947",
  ],
  [
    59,
    "4f0cb5f0da1683765348bf79fb3f280a709ddbd1566c77ac1e78919ac91f9587",
    "4f0cb5f0da1683765348bf79fb3f280a709ddbd1566c77ac1e78919ac91f9587",
  ],
  [
    60,
    "08d492e4752f99054c0d12b995011edcecb3457641a6bce827854c5cdb874e82",
    "08d492e4752f99054c0d12b995011edcecb3457641a6bce827854c5cdb874e82",
  ],
  [
    61,
    "7e25d405aac5ba05e669df7422370ee8fb2592a11232adc9c34e7e1257fb9858",
    "7e25d405aac5ba05e669df7422370ee8fb2592a11232adc9c34e7e1257fb9858",
  ],
  [
    62,
    "ccf724187ab6f9b1c443d9e297e982efa36fc360393ef16ec3e824395f9d9559",
    "ccf724187ab6f9b1c443d9e297e982efa36fc360393ef16ec3e824395f9d9559",
  ],
  [
    63,
    "d6e12c48f679626c4ddae33e5d2bc6085f5d28f878758d3baa00d28bf5b27653",
    "d6e12c48f679626c4ddae33e5d2bc6085f5d28f878758d3baa00d28bf5b27653",
  ],
  [
    64,
    "21edfedf4a79f8dcd571de858815234ff79d4bd59a6146cac320c19419801f41",
    "21edfedf4a79f8dcd571de858815234ff79d4bd59a6146cac320c19419801f41",
  ],
  [
    65,
    "2505999ac35e5c4038c6def4168cddd50ed4a3562e365daf1339e79f13013c51",
    "2505999ac35e5c4038c6def4168cddd50ed4a3562e365daf1339e79f13013c51",
  ],
  [
    66,
    "3ba692737036275da2da2ecad5bacbc41c3c36d4231f120053d6dcad806fdcb4",
    "3ba692737036275da2da2ecad5bacbc41c3c36d4231f120053d6dcad806fdcb4",
  ],
  [
    70,
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "b4271338cb6ed84b5da6cca69840b9a9a713aa3b0008964cb340b61bb54649b3",
  ],
  [
    71,
    "338140f44b88a44b72864b7a926c30bb3e4762674802e7ee9f42f9e400cf3e4b",
    "3f5c21fc8e39cbb65e6bc77f150cb6a280011483878c07006dc77a1cabce8e35",
  ],
  [
    72,
    "1518c1e757a7ed494de0050c895bfe17b3649a861de9300ac2c61e4f0afdb091",
    "1518c1e757a7ed494de0050c895bfe17b3649a861de9300ac2c61e4f0afdb091",
  ],
  [
    73,
    "82cd7f3f7c526e2124de4698534ea12411ab18e6bad38d635cf67a1760c1c0d3",
    "081f6a64633369d50a5698960fddaec816fbbf85925c30c35f0aeeb3ffa51eb7",
  ],
  [
    74,
    "715b9dafdc5ab1ece3fcff1902c07b8bfef5839323e4c967891d197adc702123",
    "715b9dafdc5ab1ece3fcff1902c07b8bfef5839323e4c967891d197adc702123",
  ],
  [
    75,
    "06a80bf4012634443a557f592ef633346b75aa01682284c680699d239ac7a9c3",
    "06a80bf4012634443a557f592ef633346b75aa01682284c680699d239ac7a9c3",
  ],
  [
    76,
    "bb98d2b665428025fc89bfadfe0536b7707101ad55e27c10c03f7191f4515104",
    "bb98d2b665428025fc89bfadfe0536b7707101ad55e27c10c03f7191f4515104",
  ],
  [
    77,
    "b960bef1e6475083322100a8a6ae82a2759f5faf0322ebdeed75ac3dbf2e7cd3",
    "c722f595913d44cf8468be679dd7bfbb0fa8edccacfa48117e3c6232b044ebd9",
  ],
  [
    78,
    "3ea3f735cc5063a41462ae38c611879a7eae4205ed13375e61cc28888ec01375",
    "3ea3f735cc5063a41462ae38c611879a7eae4205ed13375e61cc28888ec01375",
  ],
  [
    79,
    "848a9b0d493800990f7c8c91707f301c86a62b718b0eacbfb56c75e3c8b23e2b",
    "848a9b0d493800990f7c8c91707f301c86a62b718b0eacbfb56c75e3c8b23e2b",
  ],
  [
    80,
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "010ccd6bafdd67146245fed35dc6f0e62b849a56becc35be2095c03a3ec73cf4",
  ],
  [
    81,
    "93e0c65ebde3b042d84c07ae7424eed309e47d2acbd2ad5dd39dd85645feaf08",
    "a29000ce2439b63e3d906612d7284751f077fe1ac0029c89ed7c7d5db121e4ce",
  ],
  [
    82,
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "e611f4daead784ad9b4d7a9fdb3d575cd6fc7bdf0b01dcdfa76f6f79f36190d1",
  ],
  [
    83,
    "9afcb461abaeff191cd4c9d77e2a57afd782d6bb3ec4e0ff774d988bb206afbf",
    "9afcb461abaeff191cd4c9d77e2a57afd782d6bb3ec4e0ff774d988bb206afbf",
  ],
  [
    84,
    "92a5e90e93d4bfb4594bb36a0157cc5261ce03065b69f01b92019b78f14714bb",
    "92a5e90e93d4bfb4594bb36a0157cc5261ce03065b69f01b92019b78f14714bb",
  ],
  [
    85,
    "763e5a8bd08e4bb9415144f61ae21a6ea4f0d3691ae0b55112b25f3cb63e56bc",
    "3c06232d2613044a668f8a84c778e8a784327856d4f6a1f350babd600e21dc1f",
  ],
  [
    90,
    "5f0b504884394628584bfd84ffe39eb3d9b63fb319d7e4b3480c0a599377ab3e",
    "f8149fabc44bfd00f4edb42bb678224a1d168934f567beaf2d7b40a7a631d4a8",
  ],
  [
    91,
    "ee0fb43759b16faf7de768ff285238f7432e4c55509062fd5f0c84047e1d8340",
    "4fd0e6b63722e614c1c6562524aaad7faee27fdc0c7a76f8951d900317b3a31f",
  ],
  [
    95,
    "1976d41aa5fc886c32924772d74956713562a6ba9aa24808ad2358b0b786c200",
    "1976d41aa5fc886c32924772d74956713562a6ba9aa24808ad2358b0b786c200",
  ],
  [
    100,
    "391ade0d2a9e18e54a056f608e8f4eb16d5ad263287489b88fed49fb03578e73",
    "26f2af1421feac8a86df6438b7854f85a3217c05d00250e1c863fd1c5ee6cfed",
  ],
  [
    101,
    "5df9fa657fc1c92056152cf262164cb92ef70848de0300b91ca9b0b225d8e943",
    "f64743840b59d67fcc5911b5ceaa7a11d2da115605083aa7b2d4b6178a20ffa8",
  ],
  [
    102,
    "591f41ec5046af5ca104cc5fab722685c6c90fa836f49f7b47bc5c80a1a2bac2",
    "591f41ec5046af5ca104cc5fab722685c6c90fa836f49f7b47bc5c80a1a2bac2",
  ],
  [
    103,
    "122e4b90a906a2e673646ad956458c752742225bd6edb53417582a388fcdbeaf",
    "122e4b90a906a2e673646ad956458c752742225bd6edb53417582a388fcdbeaf",
  ],
  [
    104,
    "91dc6f580bba2eac052995c02e28755171801c00b13381519053c113570be752",
    "91dc6f580bba2eac052995c02e28755171801c00b13381519053c113570be752",
  ],
  [
    110,
    "b1af8226f5eb7fb8b08f479bdb9e91768ce02be88a143cb97e40889530e99b96",
    "b1af8226f5eb7fb8b08f479bdb9e91768ce02be88a143cb97e40889530e99b96",
  ],
  [
    120,
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "cf515e7758e76767fc059b118c9edf242bddb98a09c5cab75c5d5bd39f16921d",
  ],
  [
    121,
    "715b67fe670720aa9c3f77d76e12756e59b1d2492dff77892fd3e0fc4a8d49c1",
    "333e931a1bc8d681cc22ada16df5d68df21fe0ae64e49ed07400bc2ac9d8745c",
  ],
  [
    130,
    "119522b97678c6f49ddc42f87c7f36210698594afd5f80e19952437179277fbc",
    "119522b97678c6f49ddc42f87c7f36210698594afd5f80e19952437179277fbc",
  ],
  [
    131,
    "fb6c7708ee2af6c04b62de198ff0de75320fa26edf972fa118d2a202affa2708",
    "fb6c7708ee2af6c04b62de198ff0de75320fa26edf972fa118d2a202affa2708",
  ],
  [
    140,
    "ad370c7427cfa978c7922d4e74a78bbc6acd6f17c0a16bd2b061f8790a8f2649",
    "ad370c7427cfa978c7922d4e74a78bbc6acd6f17c0a16bd2b061f8790a8f2649",
  ],
  [
    141,
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "59e7732c05cb0f00d2672cca9e9de983980b97f0c17988148290e7e8b1834b8e",
  ],
  [
    150,
    "38289c12bb6f2c03eae67e750424e0ea8204e2587f49c3fadd7612ce3e936cd8",
    "be79c0e168d88a18fb42355d4cdf49c6f4968c81ba46fffe0b5cd4da9c63a808",
  ],
  [
    151,
    "50539a9be4ebdd6a70212da4d2ad3b9f1d98432ce68121e2438362b298d68533",
    "50539a9be4ebdd6a70212da4d2ad3b9f1d98432ce68121e2438362b298d68533",
  ],
  [
    152,
    "63f66bdc8b7f831f202d9667215468e8e211807fba8552858e165bf0f8444d1b",
    "b02bd96e46514e81f96b4c5f4fd4d4fda944327beca6e4171ead996a55d76d0f",
  ],
  [
    153,
    "e0d67f563a8e69b97c147c39def9bb3d2ae8414c2792292ce485f4a893881dac",
    "e0d67f563a8e69b97c147c39def9bb3d2ae8414c2792292ce485f4a893881dac",
  ],
];

const known = [both(1, "create table one (n bigint)"), both(2, "create table two (n bigint)")];
const watch = {
  onError: () => undefined,
  onFatal: (error: Error) => {
    throw error;
  },
};

test("the migrations count up from 12, and the first one replaces twelve", () => {
  const ids = migrations.map(({ id }) => id);
  expect(ids[0]).toBe(12);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  expect(migrations[0]?.replacedChecksums?.sqlite).toHaveLength(12);
  expect(migrations[0]?.replacedChecksums?.postgres).toHaveLength(12);
});

test("a released migration has the checksum that it was released with, whatever else changes in the program", () => {
  expect(
    migrations.map((migration) => [
      migration.id,
      readChecksum(migration.sqlite),
      readChecksum(migration.postgres),
    ]),
  ).toEqual(released);
});

test.skipIf(process.platform === "win32")(
  "the files of a SQLite database are readable by their owner alone, also in a folder that all may read",
  { tags: ["S2-24"] },
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "tollgate-modes-"));
    try {
      chmodSync(dataDir, 0o755);
      migrateSqlite(readSqliteFile(dataDir), migrations.slice(0, 1));
      chmodSync(readSqliteFile(dataDir), 0o644);
      const db = await openDatabase({ dataDir, databaseUrl: undefined }, watch);
      const modes = readdirSync(dataDir).map((name) => [
        name,
        statSync(join(dataDir, name)).mode & 0o777,
      ]);
      await db.close();
      expect(modes.length).toBeGreaterThanOrEqual(4);
      expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([]);
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  },
);

describe("migrating SQLite", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-migrate-"));
    file = join(folder, "tollgate.db");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const inFile = <Row>(statement: string, name = file): Row[] => {
    const db = new DatabaseSync(name);
    try {
      return db.prepare(statement).all() as Row[];
    } finally {
      db.close();
    }
  };
  const tables = (name = file) =>
    inFile<{ name: string }>(
      "select name from sqlite_master where type = 'table' order by name",
      name,
    ).map((table) => table.name);

  test("runs each migration once, in order", () => {
    migrateSqlite(file, known.slice(0, 1));
    migrateSqlite(file, known);
    migrateSqlite(file, known);
    expect(tables()).toEqual(["migrations", "one", "two"]);
    expect(inFile("select id, name from migrations order by id")).toEqual([
      { id: 1, name: "step 1" },
      { id: 2, name: "step 2" },
    ]);
  });

  test("refuses a database that was built by another text of a migration", () => {
    migrateSqlite(file, known);
    const changed = [known[0] as Migration, both(2, "create table two (n bigint, m bigint)")];
    expect(() => migrateSqlite(file, changed)).toThrow(SchemaError);
    expect(() => migrateSqlite(file, changed)).toThrow(/step 2/);
    expect(tables()).toEqual(["migrations", "one", "two"]);
  });

  test("refuses a newer schema and says what to do", { tags: ["F-126"] }, () => {
    migrateSqlite(file, [...known, both(3, "create table three (n bigint)")]);
    expect(() => migrateSqlite(file, known)).toThrow(SchemaError);
    expect(() => migrateSqlite(file, known)).toThrow(/schema 3.*knows 2.*newer/s);
  });

  test("copies a file with data before it changes it, and the copy holds everything", () => {
    migrateSqlite(file, known.slice(0, 1));
    expect(existsSync(`${file}.before-1`)).toBe(false);
    const db = new DatabaseSync(file);
    db.exec("pragma journal_mode = WAL; insert into one values (41), (42)");
    // Kept open until after the copy: rows that are only in the write-ahead log belong to it too.
    migrateSqlite(file, known);
    db.close();
    expect(tables(`${file}.before-2`)).toEqual(["migrations", "one"]);
    expect(inFile("select n from one order by n", `${file}.before-2`)).toEqual([
      { n: 41 },
      { n: 42 },
    ]);
    expect(inFile("select n from one order by n")).toEqual([{ n: 41 }, { n: 42 }]);
  });

  test("a failing migration changes nothing, and the next start can succeed", {
    tags: ["F-126"],
  }, () => {
    migrateSqlite(file, known.slice(0, 1));
    const broken = [
      ...known.slice(0, 1),
      both(2, "create table two (n bigint)", "insert into nowhere values (1)"),
    ];
    expect(() => migrateSqlite(file, broken)).toThrow(/nowhere/);
    expect(tables()).toEqual(["migrations", "one"]);
    // The copy of the failed start still exists.
    expect(() => migrateSqlite(file, known)).not.toThrow();
    expect(tables()).toEqual(["migrations", "one", "two"]);
  });

  test("a file that is not a database is refused and left unchanged", { tags: ["FT-13"] }, () => {
    const text = "this is not a database, but its content matters ".repeat(100);
    writeFileSync(file, text);
    expect(() => migrateSqlite(file, known)).toThrow();
    expect(inFileText()).toBe(text);
  });
  const inFileText = () => String(process.getBuiltinModule("node:fs").readFileSync(file));

  test("of two starts on one folder the second is refused and names DATA_DIR; after the first has stopped it works", async () => {
    const config = { dataDir: folder, databaseUrl: undefined };
    const starts = await Promise.allSettled([
      openDatabase(config, watch),
      openDatabase(config, watch),
    ]);
    const opened = starts.filter((start) => start.status === "fulfilled");
    const refused = starts.filter((start) => start.status === "rejected");
    expect([opened.length, refused.length]).toEqual([1, 1]);
    expect(refused[0]?.reason).toBeInstanceOf(StorageUnavailable);
    expect(String(refused[0]?.reason)).toMatch(/DATA_DIR/);
    await opened[0]?.value.close();
    const again = await openDatabase(config, watch);
    await again.close();
    expect(existsSync(readSqliteFile(folder))).toBe(true);
  });
});

describe("the plan of migrations", () => {
  const applied = (...ids: number[]) =>
    ids.map((id) => ({ id, checksum: readChecksum(both(id, `step ${id}`).sqlite) }));
  const [one, two, three] = applied(1, 2, 3).map(({ checksum }) => checksum);
  const squashed: Migration = {
    ...both(2, "squashed"),
    replacedChecksums: { sqlite: [one ?? "", two ?? ""], postgres: [three ?? ""] },
  };
  const later = both(3, "later");

  test("holds what was not applied", () => {
    expect(planMigrations(known, [], "sqlite")).toEqual({ adopted: undefined, pending: known });
    expect(() => planMigrations([], [{ id: 1, checksum: "x" }], "postgres")).toThrow(SchemaError);
  });

  test("adopts a database that exactly the replaced migrations have built", () => {
    expect(planMigrations([squashed, later], applied(1, 2), "sqlite")).toEqual({
      adopted: squashed,
      pending: [later],
    });
    expect(
      planMigrations([squashed, later], [{ id: 1, checksum: three ?? "" }], "postgres").adopted,
    ).toBe(squashed);
    for (const others of [applied(1), applied(2), applied(1, 3), applied(1, 2, 3), applied(2, 1)])
      expect(() => planMigrations([squashed, later], others, "sqlite")).toThrow(SchemaError);
  });

  test("runs the squashed migration on an empty database", () => {
    expect(planMigrations([squashed, later], [], "sqlite").pending).toEqual([squashed, later]);
  });
});

const postgres = testDatabases.filter(({ name }) => name === "postgres");
describe.each(postgres)("migrating $name", (database) => {
  let url: string;
  let done: () => Promise<void>;
  beforeEach(async () => {
    const server = new URL(process.env.TEST_POSTGRES_URL ?? "");
    const name = `test_migrate_${process.hrtime.bigint()}`;
    await query(server.href, `create database ${name}`);
    const target = new URL(server);
    target.pathname = `/${name}`;
    url = target.href;
    done = async () => {
      await query(server.href, `drop database ${name} with (force)`);
    };
  });
  afterEach(() => done());

  async function query(where: string, sql: string): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: where });
    await client.connect();
    try {
      return await client.query(sql);
    } finally {
      await client.end();
    }
  }
  async function migrate(steps: readonly Migration[]): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await migratePostgres(client, steps);
    } finally {
      await client.end();
    }
  }
  const tables = async () =>
    (
      await query(url, "select tablename from pg_tables where schemaname = 'public' order by 1")
    ).rows.map((row) => row.tablename);

  test("runs each migration once, in order, when several nodes start at once", async () => {
    await Promise.all(Array.from({ length: 4 }, () => migrate(known)));
    expect(await tables()).toEqual(["migrations", "one", "two"]);
  });

  test("refuses a changed migration and a newer schema, and changes nothing", async () => {
    await migrate([...known, both(3, "create table three (n bigint)")]);
    await expect(migrate(known)).rejects.toThrow(/schema 3.*knows 2.*newer/s);
    await expect(migrate([both(1, "create table other (n bigint)")])).rejects.toThrow(SchemaError);
    expect(await tables()).toEqual(["migrations", "one", "three", "two"]);
  });

  test("a failing migration changes nothing, and the next start can succeed", {
    tags: ["F-126"],
  }, async () => {
    await migrate(known.slice(0, 1));
    const broken = [
      ...known.slice(0, 1),
      both(2, "create table two (n bigint)", "insert into nowhere values (1)"),
    ];
    await expect(migrate(broken)).rejects.toThrow(/nowhere/);
    expect(await tables()).toEqual(["migrations", "one"]);
    await migrate(known);
    expect(await tables()).toEqual(["migrations", "one", "two"]);
  });

  testLarge([1, 2, 3])(
    "eight gateways that start at once all run, each with its own node number (attempt %i)",
    async () => {
      const config = { dataDir: "", databaseUrl: url };
      await openDatabase(config, watch).then((db) => db.close());
      const starts = await Promise.allSettled(
        Array.from({ length: 8 }, () => openDatabase(config, watch)),
      );
      const opened = starts.flatMap((start): Database[] =>
        start.status === "fulfilled" ? [start.value] : [],
      );
      try {
        expect(
          starts.flatMap((start) => (start.status === "rejected" ? [String(start.reason)] : [])),
        ).toEqual([]);
        expect(new Set(opened.map(({ node }) => node)).size).toBe(8);
      } finally {
        await Promise.all(opened.map((db) => db.close()));
      }
    },
  );

  test("a change on one node reaches the other within about a second", async () => {
    const config = { dataDir: "", databaseUrl: url };
    const one = await openDatabase(config, watch);
    const other = await openDatabase(config, watch);
    try {
      const heard = new Promise<void>((resolve) => other.onChange("tokens", resolve));
      await one.write(
        [{ query: one.sql.insertInto("options").values({ key: "k", value: "", updated_at: 1 }) }],
        {
          changes: ["tokens"],
        },
      );
      await heard;
    } finally {
      await one.close();
      await other.close();
    }
    expect(database.name).toBe("postgres");
  });
});
