//! The service binary: reads the command line and runs what it asks for.

use std::io::Write;
use std::num::NonZero;
use std::process::ExitCode;

use booking_service::cli::args::{Command, Given};
use booking_service::cli::error::CliError;
use booking_service::cli::{
    backup, check, clients, demo, keys, log, migrate, permissions, serve, tokens, users, vacuum,
    webhooks,
};

/// Gives memory back to the system within seconds of a burst of large requests. The system's own
/// allocator keeps it.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Threads per processor that answer requests. Some work takes tens of milliseconds, such as the
/// slots of 250 hosts: with as many threads as processors, health checks would wait for it.
const THREADS_PER_PROCESSOR: usize = 4;

fn main() -> ExitCode {
    #[cfg(not(target_env = "msvc"))]
    if let Err(cause) = tikv_jemalloc_ctl::background_thread::write(true) {
        eprintln!("service: memory is given back late: {cause}");
    }
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(processors * THREADS_PER_PROCESSOR)
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => runtime.block_on(run()),
        Err(cause) => {
            eprintln!("service: cannot start: {cause}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> ExitCode {
    let given = Given::read();
    if let Command::Serve(options) = &given.cli.command
        && options.print_config
    {
        print!("{}", given.print());
        return ExitCode::SUCCESS;
    }
    log::init(given.cli.log_format);
    let done = match given.cli.command {
        Command::Serve(options) => serve::run(*options).await,
        Command::Migrate(options) => migrate::run(options).await,
        Command::Demo(options) => demo::run(options).await,
        Command::Permissions(options) => show(Ok(permissions::run(&options))),
        Command::Webhooks(options) => show(webhooks::run(options).await),
        Command::User(command) => show(users::run(command).await),
        Command::Key(command) => show(keys::run(command).await),
        Command::Client(command) => show(clients::run(command).await),
        Command::Token(command) => show(tokens::run(command).await),
        Command::Check(options) => check::run(options).await,
        Command::Backup(options) => backup::run(options).await,
        Command::Vacuum(options) => vacuum::run(options).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("service: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Prints what a command gives. A reader that has gone away, as `head` does, is no problem.
fn show(given: Result<String, CliError>) -> Result<(), CliError> {
    let text = given?;
    let mut stdout = std::io::stdout();
    let _ = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    Ok(())
}
