import type { components } from "./schema";

type Schemas = components["schemas"];

export type Job = Schemas["Job"];
export type JobStatus = Schemas["JobStatus"];
export type JobList = Schemas["JobList"];
export type Attribute = Schemas["Attribute"];
export type Transition = Schemas["Transition"];
