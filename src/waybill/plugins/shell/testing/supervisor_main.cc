#include "waybill/plugins/shell/supervisor.h"

int main(int argc, char** argv) { return waybill::plugins::supervise(argc, argv); }
