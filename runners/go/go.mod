module readfirst

go 1.19
