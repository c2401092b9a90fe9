import smartcar from "smartcar";

export const secrets = {
  a: "739aa70456a8356d5f-6026a-9955137996b",
  b: "6b55fdbf6d4f2bb58574cb4bd605f36ebd7b",
};

export const sign = ({ body, secret }) => ({
  headers: { "SC-Signature": smartcar.hashChallenge(secret, body) },
});

export const judge = ({ body, header, secret }) =>
  smartcar.verifyPayload(secret, header("SC-Signature"), JSON.parse(body));
