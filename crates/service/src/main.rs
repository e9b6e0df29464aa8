//! The service binary: parses the command line and runs the command.

use std::io::Write;
use std::num::NonZero;
use std::path::Path;
use std::process::ExitCode;

use booking_service::cli::access::{
    clients, keys, permissions, replace_key, rotate_key, tokens, users,
};
use booking_service::cli::args::{Arguments, Command, NAME};
use booking_service::cli::database::{backup, check, migrate, vacuum};
use booking_service::cli::env_file::{self, EnvFile};
use booking_service::cli::error::CliError;
use booking_service::cli::{demo, health, log, mail, serve, webhooks, zones};
use booking_service::monitoring::traces::Traces;
use booking_service::process::zone_data;
use booking_store_engine::replicas::name_on_port;

/// Returns memory to the system within seconds after a burst of large requests. The system's
/// allocator does not.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Worker threads per processor. Some work takes tens of milliseconds, such as the slots of 250
/// hosts: with one thread per processor, health checks would wait for it.
const THREADS_PER_PROCESSOR: usize = 4;

fn main() -> ExitCode {
    // Before anything starts a thread.
    let default = Path::new(env_file::DEFAULT_PATH);
    let environment = |name: &str| std::env::var_os(name);
    let env_file = match EnvFile::read(std::env::args_os(), default, environment) {
        Ok(env_file) => env_file,
        Err(problem) => return fail(&problem.into()),
    };
    for warning in &env_file.warnings {
        eprintln!("{NAME}: {warning}: left out");
    }
    env_file.apply();
    #[cfg(not(target_env = "msvc"))]
    if let Err(cause) = tikv_jemalloc_ctl::background_thread::write(true) {
        eprintln!("{NAME}: memory is released late: {cause}");
    }
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(processors * THREADS_PER_PROCESSOR)
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(run(env_file)),
        Err(cause) => {
            eprintln!("{NAME}: cannot start: {cause}");
            ExitCode::FAILURE
        }
    }
}

async fn run(env_file: EnvFile) -> ExitCode {
    let env_path = env_file.path.clone();
    let arguments = Arguments::read(env_file);
    if let Command::Serve(options) = &arguments.cli.command
        && options.print_config
    {
        print!("{}", arguments.print());
        return ExitCode::SUCCESS;
    }
    let traces = match &arguments.cli.command {
        Command::Serve(options) => Traces::start(name_on_port(options.port)),
        _ => Ok(None),
    };
    let traces = match traces {
        Ok(traces) => traces,
        Err(problem) => return fail(&CliError::Traces(problem)),
    };
    let log_filter = log::init(
        arguments.cli.log_format,
        traces.as_ref().map(Traces::tracer),
    );
    let zone_files = match zone_data::load(arguments.cli.zone_data()) {
        Ok(zone_files) => zone_files,
        Err(problem) => return fail(&problem.into()),
    };
    let result = match arguments.cli.command {
        Command::Serve(options) => {
            log_filter.follow_file(env_path);
            serve::run(*options, zone_files).await
        }
        Command::Migrate(options) => migrate::run(options).await,
        Command::Demo(options) => demo::run(options).await,
        Command::Health(options) => print_output(health::run(options).await),
        Command::Permissions(options) => print_output(Ok(permissions::run(&options))),
        Command::Webhooks(options) => print_output(webhooks::run(options).await),
        Command::Mail(command) => mail::run(command).await,
        Command::User(command) => print_output(users::run(command).await),
        Command::Key(command) => print_output(keys::run(command).await),
        Command::ReplaceKey(options) => print_output(replace_key::run(options).await),
        Command::RotateKey(options) => print_output(rotate_key::run(options).await),
        Command::Client(command) => print_output(clients::run(command).await),
        Command::Token(command) => print_output(tokens::run(command).await),
        Command::Zones(command) => print_output(zones::run(command).await),
        Command::Check(options) => check::run(options).await,
        Command::Backup(options) => backup::run(options).await,
        Command::Vacuum(options) => vacuum::run(options).await,
    };
    if let Some(traces) = traces {
        traces.stop().await;
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => fail(&problem),
    }
}

fn fail(problem: &CliError) -> ExitCode {
    eprintln!("{NAME}: {problem}");
    ExitCode::FAILURE
}

/// Prints the output of a command. Ignores a closed pipe, such as that of `head`.
fn print_output(output: Result<String, CliError>) -> Result<(), CliError> {
    let text = output?;
    let mut stdout = std::io::stdout();
    let _ = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    Ok(())
}
