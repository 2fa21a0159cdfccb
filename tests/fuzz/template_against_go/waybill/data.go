// Package waybill holds the data that templates see, under the names that Go prints.
package waybill

// Root is the dot of a template.
type Root struct {
	Job     Job
	Command map[string]interface{}
	Cluster map[string]interface{}
	Outputs map[string]interface{}
}

// Job has the fields of Heimdall's job, in the order in which they print.
type Job struct {
	SystemID                             int
	ID, Name, Version, Description, User string
	Tags                                 []string
	Context                              map[string]interface{}
	CreatedAt, UpdatedAt                 int
	Status                               string
	IsSync, StoreResultSync              bool
	Error                                string
	CommandCriteria, ClusterCriteria     []string
	CommandID, CommandName               string
	ClusterID, ClusterName, CanceledBy   string
	JobAttributes, Result                map[string]interface{}
}
